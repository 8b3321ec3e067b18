package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;

import petstore.CommandFailure;
import petstore.store.Session;

/// The time of a store's last backup, in the field `user_version` of SQLite's header: seconds since 1970, unsigned; 0 for none.
public final class BackupTime {

    private BackupTime() {
    }

    /// Returns the time in seconds since 1970; NaN for none.
    static double read(Session session) throws SQLException {
        long seconds = Integer.toUnsignedLong(Integer.parseInt(session.text("PRAGMA user_version")));
        return seconds == 0 ? Double.NaN : seconds;
    }

    /// Records the time of a backup in the store in `folder`, also while other processes write to it.
    ///
    /// Errors: [CommandFailure] with the reason, e.g. if the store cannot be written, was deleted or replaced, or lost its log.
    public static void record(Path folder, Instant time) {
        Path file = SqliteFile.in(folder);
        try (FolderLock lock = FolderLock.change(folder)) {
            if (!SqliteFile.exists(folder)) {
                throw new CommandFailure(file + " was moved or deleted meanwhile");
            }
            lock.file().requireOneStore();
            record(file, lock, time);
        }
    }

    private static void record(Path file, FolderLock lock, Instant time) {
        try (Session session = SqliteFile.open(file, SqliteFile::connectWriter)) {
            new OpenFiles(file, lock).settle(session);
            write(session, time);
            // SQLite hides an error of its checkpoint at the close.
            Checkpoints.complete(session);
        } catch (SQLException e) {
            throw SqliteFile.cannotBe("written", file, e);
        }
    }

    /// Writes the recorded time again.
    static void touch(Session session) throws SQLException {
        session.execute("PRAGMA user_version = " + session.text("PRAGMA user_version"));
    }

    static void write(Session session, Instant time) throws SQLException {
        session.execute("PRAGMA user_version = " + (int) time.getEpochSecond());
    }
}
