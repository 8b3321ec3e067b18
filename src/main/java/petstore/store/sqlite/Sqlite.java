package petstore.store.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.KnownVersion;
import petstore.store.LockedSession;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.queue.WorkQueue;

/// A SQLite file with one connection for writes and a few for reads.
public final class Sqlite implements Database {

    private static final Logger LOG = LoggerFactory.getLogger(Sqlite.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int READERS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final DatabaseErrors errors = new DatabaseErrors(SqliteErrors::isDefect);
    private final Path file;
    private final SqliteWriter writer;
    private final List<LockedSession<Session>> sessions;
    private final LockedSession<Session> unqueued;
    private final WorkQueue<Work<?>, Object> readers;
    private final Optional<ReadOnlyStore> readOnly;

    /// @param sessions one for writes, one for unqueued reads, and one for each thread of queued reads; a command has one for all
    /// @param settled as for [SqliteWriter]
    /// @param readOnly verifies what is read; absent if the sessions lock the file
    private Sqlite(Path file, List<Session> sessions, boolean settled, Runnable onLostDisk,
            Optional<ReadOnlyStore> readOnly) {
        this.file = file;
        this.sessions = sessions.stream().map(LockedSession::new).toList();
        this.readOnly = readOnly;
        this.writer = new SqliteWriter(this.sessions.getFirst(), settled, errors, onLostDisk);
        this.unqueued = this.sessions.get(Math.min(1, sessions.size() - 1));
        List<Function<List<Work<?>>, List<Object>>> reading = this.sessions.stream().skip(2).map(this::reader).toList();
        this.readers = new WorkQueue<>("sqlite-reader", WorkQueue.Limits.ofReads(PATIENCE),
                reading.isEmpty() ? List.of(reader(unqueued)) : reading);
    }

    private Function<List<Work<?>>, List<Object>> reader(LockedSession<Session> session) {
        return group -> List.of(read(session, group.getFirst()));
    }

    private <T> T read(LockedSession<Session> session, Work<T> work) {
        try {
            T result = session.use(work::on);
            readOnly.ifPresent(ReadOnlyStore::requireUnchanged);
            return result;
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    /// Opens the store in `folder` to serve it, and creates both if they are missing.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` with a message for the operator: the folder cannot be written, the file is not a store,
    /// `migrate` refuses its schema, or SQLite ignores a setting for durability.
    ///
    /// @param onLostDisk called once if the disk loses data. Writes are refused from then until the next start
    public static Sqlite forService(Path folder, SchemaPolicy migrate, Runnable onLostDisk) {
        return open(folder, migrate, onLostDisk, true);
    }

    /// Opens the store in `folder` for a command, which uses one connection.
    ///
    /// @param toWrite false if the command only reads; then the folder need not be writable
    public static Sqlite forCommand(Path folder, SchemaPolicy migrate, boolean toWrite) {
        Optional<ReadOnlyStore> readOnly = toWrite ? Optional.empty() : ReadOnlyStore.find(SqliteFile.in(folder));
        return readOnly.map(store -> openReadOnly(SqliteFile.in(folder), store))
                .orElseGet(() -> open(folder, migrate, () -> {
                }, false));
    }

    /// A read-only schema is checked, not upgraded.
    private static Sqlite openReadOnly(Path file, ReadOnlyStore store) {
        try {
            Session session = store.connect();
            Migrations.apply(SchemaPolicy.CHECK, Migrations.Dialect.SQLITE, session,
                    _ -> {
                    });
            return new Sqlite(file, List.of(session), true, () -> {
            }, Optional.of(store));
        } catch (SQLException e) {
            throw SqliteFile.cannotBeOpened(file, e);
        }
    }

    private static Sqlite open(Path folder, SchemaPolicy migrate, Runnable onLostDisk, boolean serves) {
        Path file = SqliteFile.in(folder);
        SqliteFile.makePrivate(folder, file);
        StoreFiles.requireWritable(folder);
        return SqliteFile.open(file, () -> openOnce(file, migrate, onLostDisk, serves));
    }

    private static Sqlite openOnce(Path file, SchemaPolicy migrate, Runnable onLostDisk, boolean serves)
            throws SQLException {
        List<Session> sessions = new ArrayList<>();
        try {
            Session writer = SqliteFile.connectWriter(file);
            sessions.add(writer);
            Migrations.apply(migrate, Migrations.Dialect.SQLITE, writer,
                    work -> SqliteWriter.inTransaction(writer, session -> {
                        BackupChecksum.remove(session);
                        return work.on(session);
                    }));
            boolean settled = SqliteWriter.settleUnlessFull(writer);
            for (int i = 0; serves && i < 1 + READERS; i++) {
                sessions.add(SqliteFile.connectReader(file));
            }
            return new Sqlite(file, sessions, settled, onLostDisk, Optional.empty());
        } catch (SQLException | RuntimeException e) {
            for (Session session : sessions) {
                session.close();
            }
            throw e;
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> read(Work<T> work) {
        return (CompletableFuture<T>) readers.submit(work);
    }

    @Override
    public <T> T readUnqueued(Work<T> work) {
        return read(unqueued, work);
    }

    @Override
    public <T> T write(Work<T> work) {
        return writer.write(work);
    }

    @Override
    public CatalogueVersion version() {
        return readUnqueued(session -> KnownVersion.read(session, epoch()));
    }

    @Override
    public long epoch() {
        return 0;
    }

    @Override
    public String selectNow() {
        return "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    }

    /// Does nothing: a served store cannot be replaced.
    @Override
    public void onNewEpoch(Runnable listener) {
    }

    @Override
    public List<Pet> pets(Session session, PetQuery query) throws SQLException {
        return PackedRows.list(session, query);
    }

    @Override
    public void forEachGroupOfPets(Consumer<Iterable<Pet>> action) {
        readUnqueued(session -> {
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
        return PATIENCE;
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

    /// Commands may add animals too, but only one process serves the file.
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

    /// Does nothing: [#write] holds SQLite's only write lock.
    @Override
    public void lockKeys(Session session) {
    }

    static void raiseLastPetId(Session session, long id) throws SQLException {
        if (id > lastPetId(session)) {
            session.execute("DELETE FROM sqlite_sequence WHERE name = 'pet'");
            session.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('pet', " + id + ")");
        }
    }

    /// Returns the greatest id ever used, which AUTOINCREMENT keeps in `sqlite_sequence`.
    static long lastPetId(Session session) throws SQLException {
        PreparedStatement query = session.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pet'");
        return Session.rows(query, row -> row.getLong(1)).stream().findFirst().orElse(0L);
    }

    @Override
    public void check() {
        readUnqueued(Migrations::requireLatest);
        writer.requireDisk();
        if (!Files.isWritable(file) || !Files.isWritable(file.resolveSibling("."))) {
            throw Failure.unavailable("the store cannot be written");
        }
    }

    /// Closes the store. SQLite then moves the log into the file, so that a copy of the folder is one file.
    @Override
    public void close() {
        readers.close();
        // The writer is the last, because only the last connection moves the log into the file.
        for (LockedSession<Session> session : sessions.reversed()) {
            try {
                session.close();
            } catch (SQLException e) {
                LOG.warn("Closing the store failed: {}", SqliteErrors.reason(e));
            }
        }
    }
}
