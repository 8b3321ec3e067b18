package petstore.store.sqlite;

import java.sql.SQLException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.LockedSession;
import petstore.store.Session;

/// The session that writes to a SQLite file, for one thread at a time, and the state of its disk.
final class SqliteWriter {

    /// Operators know these lines by the name of the database.
    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    private static final String LOST_DISK = "the store's disk failed; the service is stopping";

    private final LockedSession<Session> session;
    private final DatabaseErrors errors;
    private final Runnable onLostDisk;
    private volatile boolean diskLost;
    /// True if the file holds everything that the log held at the start. Guarded by the session's lock.
    private boolean settled;

    /// @param settled true if [#settleUnlessFull] succeeded
    SqliteWriter(LockedSession<Session> session, boolean settled, DatabaseErrors errors, Runnable onLostDisk) {
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

    /// Does `work` in one transaction. Errors: as for [Database#write].
    <T> T write(Database.Work<T> work) {
        try {
            return session.use(locked -> commit(locked, work));
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    private <T> T commit(Session locked, Database.Work<T> work) throws SQLException {
        requireDisk();
        try {
            if (!settled) {
                // Data written behind pages that the disk may not have could not be found after a loss of power.
                settle(locked);
                settled = true;
            }
            return inTransaction(locked, work);
        } catch (SQLException e) {
            if (!SqliteErrors.isLostDisk(e)) {
                throw e;
            }
            diskLost = true;
            LOG.error("The service stops, because only a new start can tell what the disk has kept: {}",
                    SqliteErrors.reason(e));
            onLostDisk.run();
            throw Failure.unavailable(LOST_DISK);
        }
    }

    /// The driver's own transactions are not used: it begins the next one as soon as one ends, which would lock every other
    /// process out for good.
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
                LOG.debug("It did not begin, or SQLite has rolled back by itself: {}", SqliteErrors.reason(rolledBack));
            }
            throw e;
        }
    }

    /// Moves into the file what a process that ended badly has left in the log, and waits for the disk: it may never have been
    /// synced, and the kernel may take pages that it failed to write for written. Then a backup that was put here becomes a store
    /// like any other, before anything is written to it.
    private static void settle(Session session) throws SQLException {
        session.text("PRAGMA wal_checkpoint(PASSIVE)");
        if (BackupChecksum.isMarked(session)) {
            inTransaction(session, marked -> {
                BackupChecksum.remove(marked);
                return marked;
            });
        }
    }

    /// Settles the store if the disk has room for it, and returns whether it had. SQLite syncs the log before it moves anything, so
    /// the store can be read in either case.
    static boolean settleUnlessFull(Session session) throws SQLException {
        try {
            settle(session);
            return true;
        } catch (SQLException e) {
            if (!SqliteErrors.isFullDisk(e)) {
                throw e;
            }
            LOG.warn("The store's disk is full; free some space, for nothing can be written until then: {}",
                    SqliteErrors.reason(e));
            return false;
        }
    }
}
