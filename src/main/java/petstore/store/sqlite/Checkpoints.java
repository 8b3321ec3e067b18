package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import org.sqlite.SQLiteErrorCode;
import petstore.store.Session;

/// Checkpoints of a writer: they copy pages of the log into the database. SQLite's own checkpoints are off, because they hide errors.
///
/// The log keeps a commit until all its pages are copied and the database is synced. Then the next commit overwrites the log from its
/// beginning, if no reader uses it (<https://sqlite.org/wal.html>, section 2).
final class Checkpoints {

    /// The offset of the number of copied pages in the log's index (<https://sqlite.org/walformat.html>, field `nBackfill`).
    private static final long COPIED_AT = 96;
    private static final int COPIED_BYTES = 4;
    /// If one of these was closed, this process would lose SQLite's locks on the file.
    private static final Queue<FileChannel> KEPT_OPEN = new ConcurrentLinkedQueue<>();

    /// The limits of a log.
    ///
    /// @param waiting the number of pages not copied from which a commit is followed by a checkpoint
    /// @param largest the number of pages of the log above which a checkpoint waits for readers
    /// @param patience the longest wait for readers. Commits wait meanwhile
    /// @param pause the time from a wait without success to the next
    record Limits(long waiting, long largest, Duration patience, Duration pause) {

        /// The largest log has 64 MB.
        static final Limits OF_STORE = new Limits(1_000, 16 * 1024, Duration.ofMillis(500), Duration.ofSeconds(10));
    }

    /// The state of the log after a checkpoint, in pages.
    ///
    /// @param busy true if the checkpoint did not do all its work because of other connections
    private record Log(boolean busy, long pages, long copied) {
    }

    private final Limits limits;
    private long notBeforeNs = System.nanoTime();

    Checkpoints(Limits limits) {
        this.limits = limits;
    }

    /// Makes the checkpoint that is due after a commit, if one is. After an error, it is due again after the next commit, and the caller
    /// closes the session's statements.
    void afterCommit(Session session) throws SQLException {
        Log log = run(session, "NOOP");
        if (log.pages() - log.copied() >= limits.waiting()) {
            log = run(session, "PASSIVE");
        }
        if (log.pages() > limits.largest() && System.nanoTime() - notBeforeNs >= 0) {
            waitForReaders(session);
        }
    }

    /// Makes the next commit begin at the start of the log. Without this, the log grows as long as there is always a reader.
    private void waitForReaders(Session session) throws SQLException {
        SqliteFile.waitForLocks(session, limits.patience());
        try {
            if (run(session, "RESTART").busy()) {
                notBeforeNs = System.nanoTime() + limits.pause().toNanos();
            }
        } finally {
            SqliteFile.waitForLocks(session, SqliteFile.LOCK_PATIENCE);
        }
    }

    /// Copies all pages of which no reader needs the old content, and syncs the database if no other page is left. Waits for a checkpoint
    /// of another process.
    static void complete(Session session) throws SQLException {
        long beganNs = System.nanoTime();
        while (run(session, "PASSIVE").busy()) {
            if (System.nanoTime() - beganNs > SqliteFile.LOCK_PATIENCE.toNanos()) {
                throw SqliteErrors.exception(SQLiteErrorCode.SQLITE_BUSY);
            }
            LockSupport.parkNanos(SqliteFile.LOCK_POLL.toNanos());
        }
    }

    /// Copies all pages, syncs the database and empties the log. Errors: also if another connection prevents this.
    static void empty(Session session) throws SQLException {
        if (run(session, "TRUNCATE").busy()) {
            throw SqliteErrors.exception(SQLiteErrorCode.SQLITE_BUSY);
        }
    }

    private static Log run(Session session, String mode) throws SQLException {
        try {
            return session.rows("PRAGMA wal_checkpoint(" + mode + ")",
                    row -> new Log(row.getInt(1) != 0, row.getLong(2), row.getLong(3))).getFirst();
        } catch (SQLException e) {
            if (SqliteErrors.isLostDisk(e)) {
                forgetCopies(session, e);
            }
            throw e;
        }
    }

    /// Makes the next checkpoint of any process copy the whole log, because the count of copied pages outlives this process as long as
    /// another one, e.g. an export, has the store open.
    ///
    /// SQLite counts pages as copied before it syncs them: if a reader prevents that all are copied, it does not sync. After a failed
    /// sync, the kernel may have dropped these pages. The log still has them.
    private static void forgetCopies(Session session, SQLException cause) {
        try {
            Path file = Path.of(session.text("SELECT file FROM pragma_database_list WHERE name = 'main'"));
            FileChannel index = FileChannel.open(StoreFiles.companion(file, "-shm"), StandardOpenOption.WRITE);
            KEPT_OPEN.add(index);
            index.write(ByteBuffer.allocate(COPIED_BYTES), COPIED_AT);
        } catch (SQLException | IOException e) {
            cause.addSuppressed(e);
        }
    }
}
