package petstore.store.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.KnownVersion;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.Session;

/// A SQLite file: one connection that writes, for one thread at a time, and a few that read, each on a thread of its own.
public final class Sqlite implements Database {

    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    private static final String LOST_DISK = "the store's disk failed; the service is stopping";
    private static final Duration WRITE_PATIENCE = Duration.ofSeconds(20);
    private static final int READERS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final Path file;
    private final Session writer;
    private final ReentrantLock writing;
    private final Readers readers;
    private final Readers readerAside;
    private final DatabaseErrors errors;
    private final Runnable onLostDisk;
    private volatile boolean diskLost;
    /// Whether what was in the log at the start is in the file; guarded by `writing`.
    private boolean settled;

    private Sqlite(Path file, Session writer, ReentrantLock writing, boolean settled, Readers readers,
            Readers readerAside, DatabaseErrors errors, Runnable onLostDisk) {
        this.file = file;
        this.writer = writer;
        this.writing = writing;
        this.settled = settled;
        this.readers = readers;
        this.readerAside = readerAside;
        this.errors = errors;
        this.onLostDisk = onLostDisk;
    }

    /// Opens a file to serve it.
    public static Sqlite forService(Path folder, SchemaPolicy migrate, Runnable onLostDisk) {
        return open(folder, migrate, onLostDisk, true);
    }

    /// Opens a file for a command, which uses one connection and no thread.
    ///
    /// @param toWrite false if the command only reads, also from where it cannot write
    public static Sqlite forCommand(Path folder, SchemaPolicy migrate, boolean toWrite) {
        Optional<ReadOnlyStore> readOnly = toWrite ? Optional.empty() : ReadOnlyStore.find(SqliteFile.in(folder));
        return readOnly.map(store -> openReadOnly(SqliteFile.in(folder), store))
                .orElseGet(() -> open(folder, migrate, () -> {
                }, false));
    }

    /// The schema cannot be upgraded here, only checked.
    private static Sqlite openReadOnly(Path file, ReadOnlyStore store) {
        try {
            Session session = store.connect();
            Migrations.apply(SchemaPolicy.CHECK, Migrations.Dialect.SQLITE, session,
                    _ -> {
                    });
            DatabaseErrors errors = new DatabaseErrors(Sqlite::isDefect);
            ReentrantLock lock = new ReentrantLock();
            Readers readers = new CommandReader(session, lock, errors, Optional.of(store));
            return new Sqlite(file, session, lock, true, readers, readers, errors, () -> {
            });
        } catch (SQLException e) {
            throw cannotBeOpened(file, e);
        }
    }

    private static Failure cannotBeOpened(Path file, SQLException e) {
        return new Failure(Failure.Kind.UNAVAILABLE, "the store " + file + " cannot be opened: " + reason(e), e);
    }

    private static Sqlite open(Path folder, SchemaPolicy migrate, Runnable onLostDisk, boolean serves) {
        Path file = SqliteFile.in(folder);
        SqliteFile.makePrivate(folder, file);
        StoreFiles.requireWritable(folder);
        long beganNs = System.nanoTime();
        while (true) {
            try {
                return openOnce(file, migrate, onLostDisk, serves);
            } catch (SQLException e) {
                if (!isBusy(e) || System.nanoTime() - beganNs > SqliteFile.LOCK_PATIENCE.toNanos()) {
                    throw cannotBeOpened(file, e);
                }
                LockSupport.parkNanos(SqliteFile.LOCK_POLL.toNanos());
            }
        }
    }

    /// Processes that open a new store together get in one another's way where SQLite does not wait.
    private static boolean isBusy(SQLException e) {
        return e instanceof SQLiteException sqlite
                && (sqlite.getResultCode().code & 0xFF) == SQLiteErrorCode.SQLITE_BUSY.code;
    }

    private static Sqlite openOnce(Path file, SchemaPolicy migrate, Runnable onLostDisk, boolean serves)
            throws SQLException {
        Session writer = SqliteFile.connectWriter(file);
        try {
            Migrations.apply(migrate, Migrations.Dialect.SQLITE, writer, work -> inTransaction(writer, session -> {
                BackupChecksum.remove(session);
                return work.on(session);
            }));
            boolean settled = settleUnlessFull(writer);
            DatabaseErrors errors = new DatabaseErrors(Sqlite::isDefect);
            ReentrantLock writing = new ReentrantLock();
            Readers readers = serves
                    ? new ReaderPool("sqlite-reader", READERS, () -> SqliteFile.connectReader(file), errors)
                    : new CommandReader(writer, writing, errors, Optional.empty());
            Readers readerAside = serves
                    ? new ReaderPool("sqlite-reader-aside", 1, () -> SqliteFile.connectReader(file), errors)
                    : readers;
            return new Sqlite(file, writer, writing, settled, readers, readerAside, errors, onLostDisk);
        } catch (SQLException | RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    /// Moves into the file what a process that ended badly has left in the log, and waits for the disk: it may never have been
    /// synced, and the kernel may take pages that it failed to write for written. Then a backup that somebody put here becomes a
    /// store like any other, before anything is written to it.
    private static void settle(Session session) throws SQLException {
        session.text("PRAGMA wal_checkpoint(PASSIVE)");
        if (BackupChecksum.isMarked(session)) {
            inTransaction(session, marked -> {
                BackupChecksum.remove(marked);
                return marked;
            });
        }
    }

    /// The same, if the disk has room for it. If not it has synced the log, which SQLite does before it moves anything: so the
    /// store can be read.
    private static boolean settleUnlessFull(Session session) throws SQLException {
        try {
            settle(session);
            return true;
        } catch (SQLException e) {
            if (!isFullDisk(e)) {
                throw e;
            }
            LOG.warn("The store's disk is full; free some space, for nothing can be written until then: {}", reason(e));
            return false;
        }
    }

    @Override
    public <T> CompletableFuture<T> read(Work<T> work) {
        return readers.submit(work);
    }

    @Override
    public <T> T readAside(Work<T> work) {
        return readerAside.run(work);
    }

    @Override
    public <T> T write(Work<T> work) {
        writing.lock();
        try {
            if (diskLost) {
                throw Failure.unavailable(LOST_DISK);
            }
            if (!settled) {
                // What is written behind pages that the disk may not have could not be found after a loss of power.
                settle(writer);
                settled = true;
            }
            return inTransaction(writer, work);
        } catch (SQLException e) {
            if (isLostDisk(e)) {
                diskLost = true;
                LOG.error("The service stops, because only a new start can tell what the disk has kept: {}", reason(e));
                onLostDisk.run();
                throw Failure.unavailable(LOST_DISK);
            }
            throw errors.failure(e);
        } finally {
            writing.unlock();
        }
    }

    /// The driver's own transactions are not used: it begins the next one as soon as one ends, which would lock every other
    /// process out for good.
    static <T> T inTransaction(Session session, Work<T> work) throws SQLException {
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
                LOG.debug("It did not begin, or SQLite has rolled back by itself: {}", reason(rolledBack));
            }
            throw e;
        }
    }

    /// After a failed fsync the kernel may have dropped the pages, so that a second one succeeds without them.
    private static boolean isLostDisk(SQLException e) {
        return e instanceof SQLiteException sqlite && (sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_FSYNC
                || sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_DIR_FSYNC);
    }

    static boolean isFullDisk(SQLException e) {
        return e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_FULL;
    }

    /// A broken constraint is a defect of ours; everything else that SQLite reports (disk full, a lock held too long, a
    /// damaged file, a failing disk) is the store's.
    private static boolean isDefect(SQLException e) {
        return e instanceof SQLiteException sqlite
                && (sqlite.getResultCode().code & 0xFF) == SQLiteErrorCode.SQLITE_CONSTRAINT.code;
    }

    private static String reason(SQLException e) {
        return String.valueOf(e.getMessage());
    }

    @Override
    public CatalogueVersion version() {
        return readAside(session -> KnownVersion.read(session, 0));
    }

    @Override
    public String selectNow() {
        return "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    }

    /// Does nothing: nobody replaces the store while it is served.
    @Override
    public void onNewEpoch(Runnable listener) {
    }

    @Override
    public List<Pet> pets(Session session, PetQuery query) throws SQLException {
        return PackedRows.list(session, query);
    }

    @Override
    public void forEachGroupOfPets(Consumer<Iterable<Pet>> action) {
        readers.run(session -> {
            session.execute("SAVEPOINT snapshot");
            try {
                PackedRows.forEachGroup(session, action);
                return action;
            } finally {
                session.execute("RELEASE snapshot");
            }
        });
    }

    /// SQLite has one writer at a time.
    @Override
    public int writers() {
        return 1;
    }

    @Override
    public Duration patience() {
        return WRITE_PATIENCE;
    }

    @Override
    public int waitingReads() {
        return readers.waiting();
    }

    @Override
    public double bytes() {
        return SqliteFile.bytes(file);
    }

    @Override
    public double logBytes() {
        return SqliteFile.bytes(SqliteFile.log(file));
    }

    /// Only commands add animals beside the process that serves the file.
    @Override
    public boolean isShared() {
        return false;
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

    /// Does nothing: [#write] holds SQLite's only write lock from its beginning.
    @Override
    public void lockKeys(Session session) {
        // BEGIN IMMEDIATE has taken it.
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
        readAside(Migrations::requireLatest);
        if (diskLost) {
            throw Failure.unavailable(LOST_DISK);
        }
        if (!Files.isWritable(file) || !Files.isWritable(file.resolveSibling("."))) {
            throw Failure.unavailable("the store cannot be written");
        }
    }

    /// Moves the log into the file, so that a copy of the folder made now is one file.
    @Override
    public void close() {
        readers.close();
        readerAside.close();
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
