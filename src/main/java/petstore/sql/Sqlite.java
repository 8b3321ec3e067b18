package petstore.sql;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import petstore.Failure;

/// A SQLite file: one connection that writes, and a few that read, each on a thread of its own.
final class Sqlite implements Database {

    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    private static final String FILE = "petstore.db";
    private static final String LOST_DISK = "the store's disk failed; the service is stopping";
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(5);
    private static final Duration LOCK_POLL = Duration.ofNanos(200_000);
    private static final int READERS = Math.max(2, Runtime.getRuntime().availableProcessors());

    /// What durability and safety rest on, as SQLite spells it when asked; read back from every connection.
    private static final Map<String, String> SETTINGS = Map.of("journal_mode", "wal", "synchronous", "2",
            "busy_timeout", String.valueOf(LOCK_PATIENCE.toMillis()), "mmap_size", "0", "trusted_schema", "0");

    /// Waits for a lock that another process has. What SQLite would do by itself sleeps longer and longer, and hardly ever finds
    /// the lock free between two commits of a busy process.
    private static final class LockWait extends BusyHandler {
        private long beginNs;

        @Override
        protected int callback(int triesBefore) {
            if (triesBefore == 0) {
                beginNs = System.nanoTime();
            }
            LockSupport.parkNanos(LOCK_POLL.toNanos());
            return System.nanoTime() - beginNs < LOCK_PATIENCE.toNanos() ? 1 : 0;
        }
    }

    private final Session writer;
    private final ReentrantLock writing = new ReentrantLock();
    private final ReaderPool readers;
    private final Runnable onLostDisk;
    private volatile boolean diskLost;

    private Sqlite(Session writer, ReaderPool readers, Runnable onLostDisk) {
        this.writer = writer;
        this.readers = readers;
        this.onLostDisk = onLostDisk;
    }

    static boolean exists(Path folder) {
        return Files.exists(file(folder));
    }

    static Path file(Path folder) {
        return folder.resolve(FILE);
    }

    static Sqlite open(Path folder, Runnable onLostDisk) {
        Path file = file(folder);
        makePrivate(folder, file);
        long beganNs = System.nanoTime();
        while (true) {
            try {
                return openOnce(file, onLostDisk);
            } catch (SQLException e) {
                if (!isBusy(e) || System.nanoTime() - beganNs > LOCK_PATIENCE.toNanos()) {
                    throw new Failure(Failure.Kind.UNAVAILABLE, "the store " + file + " cannot be opened: " + reason(e),
                            e);
                }
                LockSupport.parkNanos(LOCK_POLL.toNanos());
            }
        }
    }

    /// Processes that open a new store together get in one another's way where SQLite does not wait.
    private static boolean isBusy(SQLException e) {
        return e instanceof SQLiteException sqlite
                && (sqlite.getResultCode().code & 0xFF) == SQLiteErrorCode.SQLITE_BUSY.code;
    }

    private static Sqlite openOnce(Path file, Runnable onLostDisk) throws SQLException {
        Session writer = connectWriter(file);
        try {
            if (!Migrations.isLatest(writer)) {
                inTransaction(writer, session -> {
                    Migrations.run(session, "sqlite");
                    return session;
                });
            }
            settle(writer);
            return new Sqlite(writer, new ReaderPool(READERS, () -> connectReader(file)), onLostDisk);
        } catch (SQLException | RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    /// Moves into the file what a process that ended badly has left in the log, and waits for the disk: it may never have been
    /// synced, and the kernel may take pages that it failed to write for written.
    private static void settle(Session session) throws SQLException {
        session.text("PRAGMA wal_checkpoint(PASSIVE)");
    }

    /// SQLite gives the files it makes beside this one the same permissions.
    private static void makePrivate(Path folder, Path file) {
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(folder,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            createPrivate(file);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(file)) {
                throw new Failure(Failure.Kind.UNAVAILABLE, e.getMessage() + " is in the way of the store", e);
            }
        } catch (IOException e) {
            throw Failure.unavailable("the store's folder " + folder + " cannot be written", e);
        }
    }

    static void createPrivate(Path file) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    static Session connectWriter(Path file) throws SQLException {
        return connect(file, "0");
    }

    static Session connectReader(Path file) throws SQLException {
        return connect(file, "1");
    }

    private static Session connect(Path file, String queryOnly) throws SQLException {
        SqliteLibrary.load();
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(Math.toIntExact(LOCK_PATIENCE.toMillis()));
        config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, "0");
        config.setGetGeneratedKeys(false);
        Session session = new Session(config.createConnection("jdbc:sqlite:" + file));
        try {
            session.execute("PRAGMA trusted_schema = OFF");
            session.execute("PRAGMA query_only = " + queryOnly);
            for (Map.Entry<String, String> setting : SETTINGS.entrySet()) {
                verify(session, setting.getKey(), setting.getValue());
            }
            verify(session, "query_only", queryOnly);
            BusyHandler.setHandler(session.unwrap(SQLiteConnection.class), new LockWait());
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private static void verify(Session session, String pragma, String expected) throws SQLException {
        String actual = session.text("PRAGMA " + pragma);
        if (!actual.equals(expected)) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    "SQLite does not take the setting " + pragma + " = " + expected + ": it stays " + actual);
        }
    }

    @Override
    public <T> T read(Work<T> work) {
        try {
            return readers.run(work);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    @Override
    public <T> T write(Work<T> work) {
        writing.lock();
        try {
            if (diskLost) {
                throw Failure.unavailable(LOST_DISK);
            }
            return inTransaction(writer, work);
        } catch (SQLException e) {
            if (isLostDisk(e)) {
                diskLost = true;
                LOG.error("The service stops, because only a new start can tell what the disk has kept: {}", reason(e));
                onLostDisk.run();
                throw Failure.unavailable(LOST_DISK);
            }
            throw failure(e);
        } finally {
            writing.unlock();
        }
    }

    /// The driver's own transactions are not used: it begins the next one as soon as one ends, which would lock every other
    /// process out for good.
    private static <T> T inTransaction(Session session, Work<T> work) throws SQLException {
        session.execute("BEGIN IMMEDIATE");
        try {
            T result = session.perform(work);
            session.execute("COMMIT");
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            try {
                session.execute("ROLLBACK");
            } catch (SQLException rolledBack) {
                LOG.debug("SQLite has rolled back by itself: {}", reason(rolledBack));
            }
            throw e;
        }
    }

    /// After a failed fsync the kernel may have dropped the pages, so that a second one succeeds without them.
    private static boolean isLostDisk(SQLException e) {
        return e instanceof SQLiteException sqlite && (sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_FSYNC
                || sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_DIR_FSYNC);
    }

    /// A broken constraint is a defect of ours; everything else that SQLite reports (disk full, a lock held too long, a
    /// damaged file, a failing disk) is the store's.
    private static Failure failure(SQLException e) {
        boolean defect = e instanceof SQLiteException sqlite
                && (sqlite.getResultCode().code & 0xFF) == SQLiteErrorCode.SQLITE_CONSTRAINT.code;
        if (!defect) {
            LOG.error("The store failed: {}", reason(e));
        }
        return new Failure(defect ? Failure.Kind.INTERNAL_ERROR : Failure.Kind.UNAVAILABLE,
                "the store is unavailable; try again later", e);
    }

    private static String reason(SQLException e) {
        return String.valueOf(e.getMessage());
    }

    @Override
    public long newPetIds(Session session, int count) throws SQLException {
        long last = lastPetId(session);
        if (last > Long.MAX_VALUE - count) {
            throw new SQLException("no ids are left");
        }
        return last + 1;
    }

    @Override
    public long reservePetIds(Session session, long id) throws SQLException {
        long last = lastPetId(session);
        raiseLastPetId(session, id);
        return last;
    }

    static void raiseLastPetId(Session session, long id) throws SQLException {
        if (id > lastPetId(session)) {
            session.execute("DELETE FROM sqlite_sequence WHERE name = 'pet'");
            session.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('pet', " + id + ")");
        }
    }

    /// AUTOINCREMENT keeps the greatest id ever used in `sqlite_sequence`, and raises it for ids that an INSERT brings.
    static long lastPetId(Session session) throws SQLException {
        PreparedStatement query = session.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pet'");
        return Session.rows(query, row -> row.getLong(1)).stream().findFirst().orElse(0L);
    }

    @Override
    public void check() {
        read(session -> session.text("SELECT version FROM schema_version LIMIT 1"));
        if (diskLost) {
            throw Failure.unavailable(LOST_DISK);
        }
    }

    /// Moves the log into the file, so that a copy of the folder made now is one file.
    @Override
    public void close() {
        readers.close();
        writing.lock();
        try {
            writer.close();
        } catch (SQLException e) {
            LOG.warn("Closing the store failed: {}", reason(e));
        } finally {
            writing.unlock();
        }
    }
}
