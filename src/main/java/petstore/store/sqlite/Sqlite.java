package petstore.store.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.Closer;
import petstore.Failure;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.Database;
import petstore.store.KnownVersion;
import petstore.store.Migrations;
import petstore.store.PetTable;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.StoreAccess;
import petstore.store.TimeBudget;
import petstore.store.queue.WorkQueue;

/// A SQLite file with one connection for writes and a few for reads.
public final class Sqlite implements Database, Database.Dialect, Database.Watch {

    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    private static final String SELECT_NOW = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    /// Yields the greatest id ever used, which AUTOINCREMENT keeps.
    private static final String SELECT_LAST_ID = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pet'";
    private static final int LARGEST_GROUP = 16;
    private static final int READERS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final Function<SQLException, RuntimeException> errors;
    private final Path file;
    private final FolderLock lock;
    private final SqliteSessions sessions;
    private final SqliteWriter writer;
    private final WorkQueue<Work<?>, Object> readers;

    private Sqlite(Path file, FolderLock lock, SqliteSessions sessions,
            Function<SQLException, RuntimeException> errors, Runnable onLostDisk) {
        this.file = file;
        this.lock = lock;
        this.errors = errors;
        this.sessions = sessions;
        this.writer = new SqliteWriter(file, sessions, errors, onLostDisk);
        this.readers = new WorkQueue<>("sqlite-reader", WorkQueue.Limits.ofReads(LARGEST_GROUP, traits().patience()),
                sessions.queued().stream().map(this::reader).toList());
    }

    private Function<List<Work<?>>, List<Object>> reader(Session session) {
        return group -> group.size() == 1 ? List.of(outcome(session, group.getFirst())) : readGroup(session, group);
    }

    /// Runs reads in one transaction, because each one locks the file. They see all commits made before they were submitted.
    private List<Object> readGroup(Session session, List<Work<?>> group) {
        execute(session, "BEGIN");
        List<Object> outcomes = group.stream().map(work -> outcome(session, work)).toList();
        execute(session, "ROLLBACK");
        return outcomes;
    }

    private static void execute(Session session, String sql) {
        try {
            session.perform(locked -> locked.prepare(sql).execute());
        } catch (SQLException e) {
            LOG.debug("SQLite has rolled back, or each read is a transaction: {}", e.getMessage());
        }
    }

    /// Returns the result of a read, or its exception, so that the other reads of its group do not fail.
    private Object outcome(Session session, Work<?> work) {
        try {
            return read(session, work);
        } catch (RuntimeException e) {
            return e;
        }
    }

    private <T> T read(Session session, Work<T> work) {
        try {
            return session.perform(work);
        } catch (SQLException e) {
            writer.recordDamage(e);
            throw errors.apply(e);
        }
    }

    /// Opens the store in `folder` to serve it, and creates both if they are missing. Errors: as for [SqliteSessions], and as for
    /// [FolderLock#serve].
    ///
    /// @param onLostDisk called once if the disk loses data. Writes are refused from then until the next start
    public static Sqlite forService(Path folder, SchemaPolicy migrate, Runnable onLostDisk) {
        return open(folder, FolderLock.serve(folder), lock -> SqliteSessions.open(folder, lock, migrate, 1 + READERS),
                SqliteErrors::ofRequest, onLostDisk);
    }

    /// Opens the store in `folder` for a command, which uses one connection. Errors: as for [SqliteSessions], and as for
    /// [FolderLock#forCommand].
    public static Sqlite forCommand(Path folder, SchemaPolicy migrate, StoreAccess access) {
        return open(folder, FolderLock.forCommand(folder, access),
                lock -> access == StoreAccess.READ
                        ? SqliteSessions.toRead(folder)
                        : SqliteSessions.open(folder, lock, migrate, 0),
                e -> SqliteFile.cannotBe("used", SqliteFile.in(folder), e), () -> {
                    throw new Failure(Failure.Unavailability.OUTCOME_UNKNOWN,
                            "the store's disk failed; see that the last changes are there");
                });
    }

    private static Sqlite open(Path folder, FolderLock lock, Function<FolderLock, SqliteSessions> opening,
            Function<SQLException, RuntimeException> errors, Runnable onLostDisk) {
        try (Closer opened = new Closer()) {
            opened.add(lock).file().requireOneStore();
            Sqlite sqlite = new Sqlite(SqliteFile.in(folder), lock, opening.apply(lock), errors, onLostDisk);
            opened.handOver();
            return sqlite;
        }
    }

    @Override
    public boolean isServed() {
        return lock.isOwned();
    }

    @Override
    public void announce(String address) {
        lock.file().announce(address);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> read(Work<T> work) {
        return (CompletableFuture<T>) readers.submit(work);
    }

    @Override
    public CompletableFuture<Page> readPage(PetQuery query) {
        return read(session -> PetTable.page(query, PackedRows.list(session, query)));
    }

    @Override
    public <T> T readUnqueued(Work<T> work) {
        return read(sessions.unqueued(), work);
    }

    @Override
    public <T> T write(Work<T> work) {
        return writer.write(work);
    }

    @Override
    public CatalogueVersion version() {
        return readUnqueued(KnownVersion::read);
    }

    @Override
    public Optional<Long> findEpoch() {
        return Optional.empty();
    }

    @Override
    public String selectNow() {
        return SELECT_NOW;
    }

    /// Does nothing: a service writes nothing once its files are replaced.
    @Override
    public void onNewLineage(Runnable action) {
    }

    @Override
    public void forEachGroupOfPets(Consumer<Iterable<Pet>> action) {
        readUnqueued(Work.of(session -> {
            session.execute("SAVEPOINT snapshot");
            try {
                PackedRows.forEachGroup(session, action);
            } finally {
                session.execute("RELEASE snapshot");
            }
        }));
    }

    @Override
    public Dialect dialect() {
        return this;
    }

    @Override
    public Watch watch() {
        return this;
    }

    /// Commands may add animals, too, but only one process serves the file. SQLite has one writer at a time.
    @Override
    public Traits traits() {
        return new Traits(false, 1, TimeBudget.SQLITE.whole());
    }

    @Override
    public int waitingReads() {
        return readers.waiting();
    }

    @Override
    public Facts facts() {
        // A FileStore would read the list of all mounts.
        return new Facts(SqliteFile.bytes(file), SqliteFile.bytes(SqliteFile.log(file)),
                file.toFile().getUsableSpace(), readUnqueued(BackupTime::read));
    }

    @Override
    public NewIds newPetIds(Session session, int count) throws SQLException {
        return session.rows("SELECT (" + SELECT_LAST_ID + "), (" + SELECT_NOW + ")", row -> {
            long last = row.getLong(1);
            if (last > Long.MAX_VALUE - count) {
                throw new SQLException("no ids are left");
            }
            return new NewIds(last + 1, Instant.ofEpochMilli(row.getLong(2)));
        }).getFirst();
    }

    @Override
    public long reservePetIds(Session session, long id) throws SQLException {
        return raiseLastId(session, id);
    }

    /// Does nothing: [#write] holds SQLite's only write lock.
    @Override
    public void lockKeys(Session session) {
    }

    /// Makes later ids of animals greater than `id`. Returns the greatest id used so far.
    static long raiseLastId(Session session, long id) throws SQLException {
        long last = lastPetId(session);
        if (id > last) {
            session.execute("DELETE FROM sqlite_sequence WHERE name = 'pet'");
            session.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pet', ?)", id).execute();
        }
        return last;
    }

    static long lastPetId(Session session) throws SQLException {
        return session.number(SELECT_LAST_ID);
    }

    @Override
    public void requireReady() {
        writer.requireReady();
    }

    @Override
    public void retryWrite() {
        writer.retryWrite();
    }

    @Override
    public void check() {
        readUnqueued(Migrations.SQLITE::requireLatest);
        writer.check();
        if (!Files.isWritable(file) || !Files.isWritable(file.resolveSibling("."))) {
            throw new Failure(Failure.Unavailability.NOT_WRITABLE, "the store cannot be written");
        }
    }

    /// Closes the store. The log is then moved into the file, so that a copy of the folder is one file.
    @Override
    public void close() {
        Closer.closeAll(readers, writer, lock);
    }
}
