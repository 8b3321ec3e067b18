package petstore.store.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

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

    private static final Duration WRITE_PATIENCE = Duration.ofSeconds(20);
    private static final int READERS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final Path file;
    private final SqliteWriter writer;
    private final Readers readers;
    private final Readers unqueuedReader;

    private Sqlite(Path file, SqliteWriter writer, Readers readers, Readers unqueuedReader) {
        this.file = file;
        this.writer = writer;
        this.readers = readers;
        this.unqueuedReader = unqueuedReader;
    }

    /// Opens the store in `folder` to serve it, and makes both if they are missing. Several processes may have one store open.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` with a message for the operator: the folder cannot be written, the file is no store,
    /// `migrate` refuses its schema, or SQLite does not take a setting on which durability rests.
    ///
    /// @param onLostDisk is called once, by a thread that writes, if the disk fails to keep data. Then every write is refused until
    ///        a new start has read the log again
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
            DatabaseErrors errors = new DatabaseErrors(SqliteErrors::isDefect);
            ReentrantLock lock = new ReentrantLock();
            Readers readers = new CommandReader(session, lock, errors, Optional.of(store));
            return new Sqlite(file, new SqliteWriter(session, lock, true, errors, () -> {
            }), readers, readers);
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
        Session writer = SqliteFile.connectWriter(file);
        try {
            Migrations.apply(migrate, Migrations.Dialect.SQLITE, writer,
                    work -> SqliteWriter.inTransaction(writer, session -> {
                        BackupChecksum.remove(session);
                        return work.on(session);
                    }));
            boolean settled = SqliteWriter.settleUnlessFull(writer);
            DatabaseErrors errors = new DatabaseErrors(SqliteErrors::isDefect);
            ReentrantLock writing = new ReentrantLock();
            Readers readers = serves
                    ? new ReaderPool("sqlite-reader", READERS, () -> SqliteFile.connectReader(file), errors)
                    : new CommandReader(writer, writing, errors, Optional.empty());
            Readers unqueuedReader = serves
                    ? new ReaderPool("sqlite-reader-aside", 1, () -> SqliteFile.connectReader(file), errors)
                    : readers;
            return new Sqlite(file, new SqliteWriter(writer, writing, settled, errors, onLostDisk), readers,
                    unqueuedReader);
        } catch (SQLException | RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    @Override
    public <T> CompletableFuture<T> read(Work<T> work) {
        return readers.submit(work);
    }

    @Override
    public <T> T readUnqueued(Work<T> work) {
        return unqueuedReader.run(work);
    }

    @Override
    public <T> T write(Work<T> work) {
        return writer.write(work);
    }

    @Override
    public CatalogueVersion version() {
        return readUnqueued(session -> KnownVersion.read(session, 0));
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
        readUnqueued(Migrations::requireLatest);
        writer.requireDisk();
        if (!Files.isWritable(file) || !Files.isWritable(file.resolveSibling("."))) {
            throw Failure.unavailable("the store cannot be written");
        }
    }

    /// Moves the log into the file, so that a copy of the folder made now is one file.
    @Override
    public void close() {
        readers.close();
        unqueuedReader.close();
        writer.close();
    }
}
