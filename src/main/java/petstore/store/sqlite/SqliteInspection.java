package petstore.store.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

import petstore.CommandFailure;
import petstore.store.Migrations;
import petstore.store.Session;

/// The state of an embedded store, read without a change of its folder.
///
/// @param schema the version of its schema; 0 if the database has no tables, or was not opened
/// @param opened false if the next start must first apply the log of a process that was killed
public record SqliteInspection(long bytes, long logBytes, int schema, boolean opened) {

    /// The largest database whose pages are all checked.
    private static final long MOST_CHECKED_BYTES = 64L << 20;

    /// Reads the store in `folder`, which exists.
    ///
    /// Errors: [CommandFailure] if it is damaged, of a newer version, or cannot be read.
    ///
    /// @param served true if another process serves it
    public static SqliteInspection of(Path folder, boolean served) {
        Path file = SqliteFile.in(folder);
        SqliteFile.requireReadable(file);
        long bytes = (long) SqliteFile.bytes(file);
        long logBytes = (long) SqliteFile.bytes(SqliteFile.log(file));
        boolean shared = served && Files.exists(StoreFiles.companion(file, "-shm"));
        if (bytes == 0 || (logBytes > 0 && !shared)) {
            return new SqliteInspection(bytes, logBytes, 0, false);
        }
        try (Session session = shared ? SqliteFile.connectReader(file) : SqliteFile.connectUnlocked(file)) {
            int schema = Migrations.version(Migrations.Scripts.SQLITE, session);
            String result = bytes > MOST_CHECKED_BYTES ? "ok" : session.text("PRAGMA quick_check(1)");
            if (!result.equals("ok")) {
                throw new CommandFailure("the store " + file + " is damaged: " + result + SqliteErrors.RESTORE);
            }
            return new SqliteInspection(bytes, logBytes, schema, true);
        } catch (SQLException e) {
            throw SqliteFile.cannotBe("opened", file, e);
        }
    }
}
