package petstore.store.sqlite;

import java.sql.SQLException;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.store.Database;
import petstore.store.Session;

/// Writes to a SQLite file in transactions, and refuses writes once its disk has lost data.
final class SqliteWriter {

    /// The logger of [Sqlite], so that all log lines of the database have one name.
    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    private static final String LOST_DISK = "the store's disk failed; the service is stopping";

    private final Session session;
    private final Function<SQLException, Failure> errors;
    private final Runnable onLostDisk;
    private volatile boolean diskLost;
    /// True if the file holds everything that the log held at the start. Guarded by the session's lock.
    private boolean settled;

    /// @param settled true if [#settleUnlessFull] succeeded
    SqliteWriter(Session session, boolean settled, Function<SQLException, Failure> errors, Runnable onLostDisk) {
        this.session = session;
        this.settled = settled;
        this.errors = errors;
        this.onLostDisk = onLostDisk;
    }

    /// Throws [Failure] of kind `UNAVAILABLE` if the disk has lost data.
    void requireDisk() {
        if (diskLost) {
            throw Failure.unavailable(LOST_DISK);
        }
    }

    /// Runs `work` in one transaction. Errors: as for [Database#write].
    <T> T write(Database.Work<T> work) {
        try {
            return session.perform(_ -> commit(work));
        } catch (SQLException e) {
            throw errors.apply(e);
        }
    }

    private <T> T commit(Database.Work<T> work) throws SQLException {
        requireDisk();
        try {
            if (!settled) {
                // Data written after pages that are not on disk could not be found after a power failure.
                settle(session);
                settled = true;
            }
            return inTransaction(session, work);
        } catch (SQLException e) {
            if (!SqliteErrors.isLostDisk(e)) {
                throw e;
            }
            diskLost = true;
            onLostDisk.run();
            LOG.error(
                    "the disk failed to sync; the service stops, because only a restart can find the kept animals: {}",
                    e.getMessage());
            throw Failure.unavailable(LOST_DISK);
        }
    }

    /// Runs `work` in a transaction. The driver's own transactions would begin again at each commit, and lock out other processes.
    static <T> T inTransaction(Session session, Database.Work<T> work) throws SQLException {
        try {
            return session.perform(prepared -> {
                prepared.prepare("BEGIN IMMEDIATE").execute();
                T result = work.on(prepared);
                prepared.prepare("COMMIT").execute();
                return result;
            });
        } catch (SQLException | RuntimeException | Error e) {
            try {
                session.execute("ROLLBACK");
            } catch (SQLException rolledBack) {
                LOG.debug("it did not begin, or SQLite has rolled back by itself: {}", rolledBack.getMessage());
            }
            throw e;
        }
    }

    /// Moves the log of a killed process into the file and syncs it, because that process may not have synced its last commit. Then
    /// removes the checksum of a backup that was copied here, because the next write invalidates it.
    static void settle(Session session) throws SQLException {
        session.text("PRAGMA wal_checkpoint(PASSIVE)");
        if (BackupChecksum.isMarked(session)) {
            inTransaction(session, marked -> {
                BackupChecksum.remove(marked);
                return marked;
            });
        }
    }

    /// Settles the store. Returns false if the disk is full; then the store can be read, because SQLite syncs the log first.
    static boolean settleUnlessFull(Session session) throws SQLException {
        try {
            settle(session);
            return true;
        } catch (SQLException e) {
            if (!SqliteErrors.isFullDisk(e)) {
                throw e;
            }
            LOG.warn("the store's disk is full; free some space, because writes are refused until then: {}",
                    e.getMessage());
            return false;
        }
    }
}
