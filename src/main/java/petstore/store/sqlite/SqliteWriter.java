package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petstore.Failure;
import petstore.store.Database;
import petstore.store.Outage;
import petstore.store.PetTable;
import petstore.store.Session;

/// Writes to a SQLite file in transactions, and refuses writes once its disk has lost data.
final class SqliteWriter implements AutoCloseable {

    /// The logger of [Sqlite], so that all log lines of the database have one name.
    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    /// The time between two checks for damage, as a multiple of the duration of the first.
    private static final int CHECK_PAUSE = 9;
    private static final String LOST_DISK = "the store's disk failed; the service is stopping";

    private final Path file;
    private final SqliteSessions sessions;
    private final Session session;
    private final Function<SQLException, RuntimeException> errors;
    private final Outage failedWrites = new Outage(LOG, Level.ERROR,
            "the store cannot be written; the service is not ready until a write succeeds",
            "the store can be written again");
    private final Outage stuckLog = new Outage(LOG, Level.ERROR,
            "the store's log grows, because it cannot be moved into the database; the next write tries again",
            "the store's log can be moved into the database again");
    private final Runnable onLostDisk;
    private final Checkpoints checkpoints = new Checkpoints(Checkpoints.Limits.OF_STORE);
    /// The reason why nothing is written until the next start, or until a check refutes damage; null for none.
    private volatile @Nullable Loss loss;
    /// The time by [System#nanoTime] from which reported damage is checked again.
    private long nextCheckNs = System.nanoTime();

    private record Loss(Failure.Unavailability code, String message) {
    }

    SqliteWriter(Path file, SqliteSessions sessions, Function<SQLException, RuntimeException> errors,
            Runnable onLostDisk) {
        this.file = file;
        this.sessions = sessions;
        this.session = sessions.writer();
        this.errors = errors;
        this.onLostDisk = onLostDisk;
    }

    /// Throws as [#requireReady], and also if the store's files are no longer those that are open.
    void check() {
        requireFiles(Failure.Unavailability.DISK_FAILED);
        requireReady();
    }

    private void requireFiles(Failure.Unavailability failure) {
        findLoss().ifPresent(reason -> {
            throw new Failure(failure, reason);
        });
    }

    /// Returns the reason for which the open files are no longer those of the store, and refuses writes then; absent for none.
    private Optional<String> findLoss() {
        OpenFiles files = sessions.files();
        if (files == null) {
            return Optional.empty();
        }
        Optional<String> reason = files.findLoss();
        reason.ifPresent(text -> {
            if (files.isLogDeleted()) {
                // Only this process still has its animals.
                completeLog();
            }
            lose(Failure.Unavailability.DISK_FAILED, text,
                    text + "; nothing is written until the service has restarted");
        });
        return reason;
    }

    /// Refuses writes until the next start, or until [#refute]. Logs the first reason.
    private synchronized void lose(Failure.Unavailability code, String message, String line) {
        if (loss == null || (loss.code() == Failure.Unavailability.DAMAGED && code != loss.code())) {
            loss = new Loss(code, message);
            LOG.error("{}", line);
        }
    }

    private synchronized void refute() {
        if (loss != null && loss.code() == Failure.Unavailability.DAMAGED) {
            loss = null;
        }
    }

    void requireReady() {
        requireWritable();
        if (failedWrites.isLasting()) {
            throw new Failure(Failure.Unavailability.NOT_WRITABLE,
                    "the store cannot be written; the log has the reason");
        }
    }

    private void requireWritable() {
        Loss lasting = loss;
        if (lasting != null) {
            throw new Failure(lasting.code(), lasting.message());
        }
    }

    /// Makes the service unready if SQLite reports damage, because a new animal could overwrite an old one.
    void recordDamage(SQLException e) {
        if (sessions.areServed() && SqliteErrors.isDamage(e)) {
            lose(Failure.Unavailability.DAMAGED, SqliteErrors.DAMAGED,
                    SqliteErrors.DAMAGED + "; nothing is written until then: " + e.getMessage());
        }
    }

    /// Checks all pages after a report of damage, because SQLite also reports a disk that fails to read for a moment so. Checks again
    /// later, because the disk may have failed during the check, too.
    private void checkDamage() {
        long beganNs = System.nanoTime();
        try (Session reader = SqliteFile.connectReader(file)) {
            // A marked file is a backup that was copied over the damaged store, of which this process still has pages.
            if (reader.text("PRAGMA integrity_check(1)").equals("ok") && !BackupChecksum.isMarked(file)) {
                refute();
                LOG.info("the store is not damaged: the disk has failed to read");
            }
        } catch (SQLException e) {
            LOG.debug("the store cannot be checked", e);
        }
        long endedNs = System.nanoTime();
        nextCheckNs = endedNs + (endedNs - beganNs) * CHECK_PAUSE;
    }

    <T> T write(Database.Work<T> work) {
        try {
            return session.perform(_ -> writeDurably(work));
        } catch (SQLException e) {
            recordDamage(e);
            throw record(e)
                    ? new Failure(Failure.Unavailability.NOT_WRITABLE, Database.UNAVAILABLE)
                    : errors.apply(e);
        }
    }

    /// Returns true for an error that makes the service unready, which this logs.
    private boolean record(SQLException e) {
        boolean recorded = sessions.areServed() && SqliteErrors.isFailedWrite(e);
        if (recorded) {
            failedWrites.failed(SqliteErrors.reason(e));
        }
        return recorded;
    }

    /// Looks at the files, checks reported damage, and tries a write, as [Database.Watch#retryWrite]. Adds an animal and takes it back,
    /// because an unreadable page may fail only some writes. Then writes a page without changing it.
    void retryWrite() {
        findLoss();
        Loss lasting = loss;
        if (lasting != null && lasting.code() == Failure.Unavailability.DAMAGED
                && System.nanoTime() - nextCheckNs >= 0) {
            checkDamage();
        }
        if (!failedWrites.isLasting()) {
            return;
        }
        try {
            session.perform(_ -> writeDurably(Database.Work.of(locked -> {
                PetTable.tryInsert(locked, Sqlite.lastPetId(locked) + 1);
                BackupTime.touch(locked);
            })));
        } catch (SQLException | Failure e) {
            LOG.debug("a write failed again", e);
        }
    }

    private <T> T writeDurably(Database.Work<T> work) throws SQLException {
        requireWritable();
        try {
            if (sessions.fullDisk().isLasting()) {
                // Data written after pages that are not on disk could not be found after a power failure.
                Objects.requireNonNull(sessions.files()).settle(session);
                sessions.fullDisk().succeeded();
            }
            requireFiles(Failure.Unavailability.DISK_FAILED);
            T result = inTransaction(session, work);
            requireFiles(Failure.Unavailability.OUTCOME_UNKNOWN);
            checkpoint();
            return result;
        } catch (SQLException e) {
            if (sessions.fullDisk().isLasting() && SqliteErrors.isFullDisk(e)) {
                sessions.fullDisk().failed(String.valueOf(e.getMessage()));
            }
            if (!SqliteErrors.isLostDisk(e)) {
                throw e;
            }
            loseDisk(e);
            // The log may have the transaction.
            throw new Failure(Failure.Unavailability.OUTCOME_UNKNOWN, LOST_DISK);
        }
    }

    /// Makes a checkpoint if one is due. The log keeps the last commit if this fails, so that its caller gets its result.
    private void checkpoint() {
        try {
            checkpoints.afterCommit(session);
            stuckLog.succeeded();
            failedWrites.succeeded();
        } catch (SQLException e) {
            session.closeStatements();
            recordDamage(e);
            if (SqliteErrors.isLostDisk(e)) {
                loseDisk(e);
            } else if (!record(e)) {
                stuckLog.failed(SqliteErrors.reason(e));
            }
        }
    }

    private void loseDisk(SQLException e) {
        lose(Failure.Unavailability.DISK_FAILED, LOST_DISK,
                "the disk failed to sync; the service stops, because only a restart can find the kept animals: "
                        + e.getMessage());
        onLostDisk.run();
    }

    /// Runs `work` in a transaction. The driver's own transactions would begin again at each commit, and lock out other processes.
    ///
    /// Errors: [Failure] if the log may have the transaction, although its index cannot grow, which SQLite writes last. After an error, the
    /// caller closes the session or its statements.
    static <T> T inTransaction(Session session, Database.Work<T> work) throws SQLException {
        try {
            session.prepare("BEGIN IMMEDIATE").execute();
            T result = work.on(session);
            try {
                session.prepare("COMMIT").execute();
            } catch (SQLException e) {
                if (SqliteErrors.isOfIndex(e)) {
                    throw new Failure(Failure.Unavailability.OUTCOME_UNKNOWN, Database.UNAVAILABLE, e);
                }
                throw e;
            }
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            try {
                session.execute("ROLLBACK");
            } catch (SQLException rolledBack) {
                LOG.debug("it did not begin, or SQLite has rolled back by itself: {}", rolledBack.getMessage());
            }
            throw e;
        }
    }

    /// Closes the sessions, unless the store's files are others by now: SQLite deletes the log by its name when the last session closes.
    @Override
    public void close() {
        if (findLoss().isPresent()) {
            return;
        }
        if (sessions.files() != null && loss == null) {
            completeLog();
        }
        sessions.close();
    }

    /// Moves the log into the file, because SQLite would hide an error when it does so at the close of the last session.
    private void completeLog() {
        try {
            session.perform(Database.Work.of(Checkpoints::complete));
        } catch (SQLException e) {
            if (SqliteErrors.isLostDisk(e)) {
                loseDisk(e);
            }
            LOG.debug("the log stays until the next start", e);
        }
    }
}
