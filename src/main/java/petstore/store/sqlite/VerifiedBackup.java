package petstore.store.sqlite;

/// A backup that is whole and can be served.
///
/// @param pets how many animals are in it
/// @param hasChecksum whether its contents match a checksum; false for one by an older version or by SQLite's own means
public record VerifiedBackup(long pets, boolean hasChecksum) {
}
