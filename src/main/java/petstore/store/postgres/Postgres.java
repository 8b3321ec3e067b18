package petstore.store.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;
import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.LockedSession;
import petstore.store.Migrations;
import petstore.store.PetRow;
import petstore.store.PetTable;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.queue.WorkQueue;

/// A PostgreSQL database, which other processes may serve too.
///
/// A transaction that adds animals takes their ids from the one row of `pet_id`, and with it a lock until COMMIT: such transactions
/// end one after the other, in all processes, and ids become visible in their order.
public final class Postgres implements Database {

    private static final int FETCH_SIZE = 1_000;
    /// While one waits for its COMMIT the next is already waiting in the database for its turn.
    private static final int WRITERS = 2;
    /// Connections for keys, versions, and whether the database can be used.
    private static final int OTHERS = 2;
    private static final Duration REQUEST_PATIENCE = Duration.ofMillis(1_800);
    private static final Duration COMMAND_PATIENCE = Duration.ofDays(1);

    /// One statement is one round trip, and other transactions that add animals wait the shorter for their ids. It adds nothing
    /// if it reaches another server connection than that of its session.
    private static final String ADD = """
            WITH ids AS (UPDATE pet_id SET last_id = last_id + ? WHERE %s = ?
              RETURNING last_id - ? AS before),
            added AS (INSERT INTO pet (id, name, category_id, status)
              SELECT before + n, name, category_id, status
              FROM ids, unnest(?::TEXT[], ?::BIGINT[], ?::TEXT[]) WITH ORDINALITY AS new (name, category_id, status, n))
            SELECT before + 1, %s FROM ids""".formatted(PostgresSession.MARK, PostgresSession.MARK);
    private static final String LOAD = "INSERT INTO pg_temp.imported_pet (id, name, category_id, status)"
            + " SELECT * FROM unnest(?::BIGINT[], ?::TEXT[], ?::BIGINT[], ?::TEXT[])";
    private static final String NEW_IDS = "UPDATE pet_id SET last_id = last_id + ? RETURNING last_id";
    private static final String LAST_ID = "SELECT last_id FROM pet_id";
    private static final String RESERVE = "UPDATE pet_id SET last_id = ?";

    private final PostgresSessions sessions;
    private final Duration patience;
    private final WorkQueue<Work<?>, Object> readers;
    private final DatabaseErrors errors = new DatabaseErrors(Postgres::isDefect);

    private Postgres(PostgresSessions sessions, Duration patience, int readers) {
        this.sessions = sessions;
        this.patience = patience;
        this.readers = new WorkQueue<>("postgres-reader", WorkQueue.Limits.ofReads(patience),
                Collections.nCopies(readers, group -> List.of(readNow(group.getFirst()))));
    }

    /// Opens a database to serve it.
    ///
    /// @param readers how many requests may read at once
    public static Postgres forService(PostgresUri uri, SchemaPolicy migrate, int readers, DatabaseWait wait) {
        PostgresConnector connector = new PostgresConnector(true);
        List<PostgresHost> hosts = hosts(connector, uri);
        try {
            PostgresSchema.prepare(connector, PostgresSearch.find(uri, hosts, true, wait), uri, migrate);
            PostgresWatch watch = new PostgresWatch(connector, hosts, readers + WRITERS + OTHERS);
            watch.start();
            return new Postgres(watch, REQUEST_PATIENCE, readers);
        } catch (RuntimeException e) {
            hosts.forEach(PostgresHost::close);
            throw e;
        }
    }

    /// Opens a database for a command, which uses one connection and may take long.
    public static Postgres forCommand(PostgresUri uri, SchemaPolicy migrate, boolean toWrite) {
        PostgresConnector connector = new PostgresConnector(false);
        List<PostgresHost> hosts = hosts(connector, uri);
        try {
            PostgresHost host = PostgresSearch.find(uri, hosts, toWrite, new DatabaseWait(DatabaseWait.LIMIT));
            hosts.forEach(PostgresHost::close);
            PostgresSchema.prepare(connector, host, uri, migrate);
            return new Postgres(
                    new PostgresCommandSession(new LockedSession<>(
                            connector.open(host.address(), PostgresConnector.Timeouts.COMMAND))),
                    COMMAND_PATIENCE, 1);
        } catch (SQLException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    "the database " + uri + " cannot be used: " + e.getMessage() + PostgresSearch.advice(e), e);
        } finally {
            hosts.forEach(PostgresHost::close);
        }
    }

    private static List<PostgresHost> hosts(PostgresConnector connector, PostgresUri uri) {
        return uri.hosts().stream().map(host -> new PostgresHost(connector, host)).toList();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> read(Work<T> work) {
        return (CompletableFuture<T>) readers.submit(work);
    }

    private <T> T readNow(Work<T> work) {
        return perform(() -> sessions.use(work::on));
    }

    @Override
    public <T> T readUnqueued(Work<T> work) {
        return perform(() -> sessions.useUnqueued(work::on));
    }

    /// If COMMIT itself fails its outcome is unknown, and it is not tried again.
    @Override
    public <T> T write(Work<T> work) {
        return perform(() -> sessions.useToCommit(session -> session.inTransaction(work)));
    }

    @Override
    public CatalogueVersion version() {
        return perform(() -> sessions.version());
    }

    @Override
    public long epoch() {
        return sessions.epoch();
    }

    @Override
    public String selectNow() {
        return "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";
    }

    @Override
    public void onNewEpoch(Runnable listener) {
        sessions.onNewEpoch(listener);
    }

    /// Work on a session.
    @FunctionalInterface
    private interface Step<T> {
        T run() throws SQLException;
    }

    private <T> T perform(Step<T> step) {
        try {
            return step.run();
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    /// Broken constraints and malformed data are defects of ours, everything else is the database's.
    private static boolean isDefect(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("22") || state.startsWith("23");
    }

    /// Only within a transaction the driver fetches a result part by part.
    @Override
    public void forEachGroupOfPets(Consumer<Iterable<Pet>> action) {
        write(session -> {
            session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            PreparedStatement select = session.prepare(PetTable.ALL);
            select.setFetchSize(FETCH_SIZE);
            try (ResultSet rows = select.executeQuery()) {
                List<Pet> group = new ArrayList<>(FETCH_SIZE);
                while (rows.next()) {
                    group.add(PetRow.read(rows));
                    if (group.size() == FETCH_SIZE) {
                        action.accept(group);
                        group = new ArrayList<>(FETCH_SIZE);
                    }
                }
                action.accept(group);
            }
            return action;
        });
    }

    @Override
    public int writers() {
        return WRITERS;
    }

    @Override
    public Duration patience() {
        return patience;
    }

    @Override
    public int waitingReads() {
        return readers.waiting();
    }

    @Override
    public double bytes() {
        try {
            return readUnqueued(session -> Double.valueOf(session.text("SELECT pg_database_size(current_database())")));
        } catch (Failure e) {
            return Double.NaN;
        }
    }

    @Override
    public double logBytes() {
        return 0;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /// If its outcome is unknown it is not tried again.
    @Override
    public List<Pet> add(List<NewPet> pets) {
        return perform(() -> sessions.useToCommit(session -> PetTable.withIds(pets, firstIdOf(pets, session))));
    }

    private static long firstIdOf(List<NewPet> pets, PostgresSession session) throws SQLException {
        PreparedStatement add = session.prepare(ADD);
        add.setLong(1, pets.size());
        add.setString(2, session.mark());
        add.setLong(3, pets.size());
        add.setObject(4, pets.stream().map(NewPet::name).toArray(String[]::new));
        add.setObject(5, pets.stream().mapToLong(NewPet::categoryId).toArray());
        add.setObject(6, pets.stream().map(pet -> pet.status().map(PetStatus::text).orElse(null))
                .toArray(String[]::new));
        List<Long> firstIds = PostgresSession.committedRows(add, row -> {
            session.requireMark(row.getString(2));
            return row.getLong(1);
        });
        if (firstIds.isEmpty()) {
            throw new PostgresSession.TransactionPoolingException();
        }
        return firstIds.getFirst();
    }

    @Override
    public long newPetIds(Session session, int count) throws SQLException {
        PreparedStatement update = session.prepare(NEW_IDS);
        update.setLong(1, count);
        return Session.rows(update, row -> row.getLong(1)).getFirst() - count + 1;
    }

    @Override
    public long reservePetIds(Session session, long id) throws SQLException {
        long last = Session.rows(session.prepare(LAST_ID), row -> row.getLong(1)).getFirst();
        if (id <= last) {
            return last;
        }
        last = Session.rows(session.prepare(LAST_ID + " FOR UPDATE"), row -> row.getLong(1)).getFirst();
        if (id > last) {
            PreparedStatement update = session.prepare(RESERVE);
            update.setLong(1, id);
            update.executeUpdate();
        }
        return last;
    }

    /// The row of `pet_id` is locked only in the second transaction: other animals are added while the file is read.
    @Override
    public long addWithIds(Iterator<List<Pet>> groups) {
        try {
            return sessions.useToCommit(session -> {
                Range ids = session.inTransaction(_ -> load(groups, session));
                return session.inTransaction(_ -> {
                    Database.requireAbove(reservePetIds(session, ids.last()), ids.first());
                    session.execute("INSERT INTO pet SELECT * FROM pg_temp.imported_pet ORDER BY id");
                    var _ = groups.hasNext(); // It throws if the command was interrupted.
                    return ids.last();
                });
            });
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    private record Range(long first, long last) {
    }

    private static Range load(Iterator<List<Pet>> groups, Session session) throws SQLException {
        session.execute("DROP TABLE IF EXISTS pg_temp.imported_pet");
        session.execute("CREATE TEMPORARY TABLE imported_pet (LIKE pet)");
        Range ids = new Range(0, 0);
        while (groups.hasNext()) {
            List<Pet> group = groups.next();
            ids = new Range(ids.first() == 0 ? group.getFirst().id() : ids.first(), group.getLast().id());
            load(group, session);
        }
        return ids;
    }

    private static void load(List<Pet> pets, Session session) throws SQLException {
        PreparedStatement load = session.prepare(LOAD);
        load.setObject(1, pets.stream().mapToLong(Pet::id).toArray());
        load.setObject(2, pets.stream().map(Pet::name).toArray(String[]::new));
        load.setObject(3, pets.stream().mapToLong(Pet::categoryId).toArray());
        load.setObject(4, pets.stream().map(pet -> pet.status().map(PetStatus::text).orElse(null))
                .toArray(String[]::new));
        load.executeUpdate();
    }

    @Override
    public void lockKeys(Session session) throws SQLException {
        session.execute("LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE");
    }

    @Override
    public void check() {
        sessions.requireReady();
        readUnqueued(Migrations::requireLatest);
    }

    @Override
    public void close() {
        readers.close();
        sessions.close();
    }
}
