package petstore.store.sqlite;

/// A backup that was verified.
///
/// @param hasChecksum false for a backup by an older version or by SQLite's own means
public record VerifiedBackup(long pets, boolean hasChecksum) {
}
