package petstore.store.postgres;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import petstore.Catalogue.Page;
import petstore.Closer;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.Database;
import petstore.store.KnownVersion;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.StoreAccess;
import petstore.store.TimeBudget;
import petstore.store.queue.WorkQueue;

/// A PostgreSQL database, which several processes may serve.
///
/// A transaction that adds animals locks the one row of `pet_id` until COMMIT. So these transactions commit one after the other, in all
/// processes, and ids become visible in ascending order.
public final class Postgres implements Database {

    /// While one transaction waits for its COMMIT, the next already waits in the database.
    private static final int WRITERS = 2;
    /// Connections for keys, versions and health checks, whose statements are short, and for one [petstore.store.OneAtATime].
    private static final int OTHERS = 2;
    /// The connections of a service besides those of its readers: two of them watch the primary.
    public static final int FURTHER_CONNECTIONS = WRITERS + OTHERS + 2;
    private static final Duration COMMAND_WAIT = Duration.ofMinutes(2);
    private static final Duration COMMAND_PATIENCE = Duration.ofDays(1);
    static final String SERVICE_WAIT_IS_OVER = " and --database-wait is over";

    private final PostgresPets pets = new PostgresPets();
    private final PostgresSessions sessions;
    private final Duration patience;
    private final WorkQueue<Work<?>, Object> readers;

    private Postgres(PostgresSessions sessions, Duration patience, int readers) {
        this.sessions = sessions;
        this.patience = patience;
        this.readers = new PostgresReaders(sessions).queue(readers, patience);
    }

    public static Postgres forService(PostgresUri uri, SchemaPolicy migrate, int readers, Duration wait,
            AtomicBoolean waiting) {
        List<PostgresHost> hosts = PostgresSearch.hosts(uri);
        long beganNs = System.nanoTime();
        try (Closer opened = new Closer(hosts)) {
            waiting.set(true);
            PostgresSearch search = new PostgresSearch(uri, hosts, true, wait);
            var _ = search.find(wait, SERVICE_WAIT_IS_OVER, found -> {
                PostgresSchema.prepare(found, Migrations.POSTGRESQL, migrate, StoreAccess.CREATE);
                var _ = found.ask(PostgresSchema::requireReady);
                return found.ask(KnownVersion::read);
            });
            Duration rest = wait.minusNanos(System.nanoTime() - beganNs);
            CurrentPrimary primary = opened.add(PostgresWatch.start(hosts, search.cluster(),
                    readers + WRITERS + OTHERS, rest));
            Postgres postgres = new Postgres(primary, TimeBudget.POSTGRES.whole(), readers);
            opened.handOver();
            return postgres;
        }
    }

    /// Opens a database for a command, which uses one connection. A statement may take ten minutes.
    public static Postgres forCommand(PostgresUri uri, SchemaPolicy migrate, StoreAccess access) {
        PostgresSession session = PostgresSearch.forCommand(uri, access != StoreAccess.READ,
                COMMAND_WAIT, host -> {
                    PostgresSchema.prepare(host, Migrations.POSTGRESQL, migrate, access);
                    return host.open(host.state().orElseThrow(), PostgresConnector.Timeouts.COMMAND);
                });
        return new Postgres(new PostgresSessions.OfCommand(uri, session), COMMAND_PATIENCE, 1);
    }

    /// Returns true if a database that a command changes has a store.
    public static boolean hasStore(PostgresUri uri) {
        return PostgresSearch.forCommand(uri, true, COMMAND_WAIT, PostgresSchema::hasStore);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> read(Work<T> work) {
        return (CompletableFuture<T>) readers.submit(work);
    }

    @Override
    public CompletableFuture<Page> readPage(PetQuery query) {
        return read(new PostgresReaders.PageRead(query));
    }

    @Override
    public <T> T readUnqueued(Work<T> work) {
        return sessions.use(work::on);
    }

    /// Runs `work` in a transaction. If COMMIT fails, it is not retried, because its outcome is unknown.
    @Override
    public <T> T write(Work<T> work) {
        return sessions.use(session -> session.inTransaction(work));
    }

    @Override
    public void forEachGroupOfPets(Consumer<Iterable<Pet>> action) {
        write(Work.of(session -> {
            session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            PostgresPets.forEachGroup(session, action);
        }));
    }

    @Override
    public Dialect dialect() {
        return pets;
    }

    @Override
    public Watch watch() {
        return sessions;
    }

    @Override
    public Traits traits() {
        return new Traits(true, WRITERS, patience);
    }

    @Override
    public int waitingReads() {
        return readers.waiting();
    }

    /// Returns the size alone: `pg_dump` cannot record the time of a backup.
    @Override
    public Facts facts() {
        double bytes = Double.NaN;
        try {
            bytes = readUnqueued(
                    session -> Double.valueOf(session.text("SELECT pg_database_size(current_database())")));
        } catch (Failure e) {
            // The size is unknown now.
        }
        return new Facts(bytes, 0, Double.NaN, Double.NaN);
    }

    @Override
    public Optional<List<Pet>> addInOneStatement(List<NewPet> pets) {
        return Optional.of(sessions.use(session -> PostgresPets.add(pets, session)));
    }

    @Override
    public long addWithIds(Iterator<List<Pet>> groups) {
        return sessions.use(session -> pets.addWithIds(groups, session));
    }

    @Override
    public void close() {
        Closer.closeAll(readers, sessions);
    }
}
