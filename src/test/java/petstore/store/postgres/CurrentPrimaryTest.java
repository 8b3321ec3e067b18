package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.Failure;
import petstore.store.Database;
import petstore.store.SchemaPolicy;
import petstore.store.StoreAccess;
import petstore.store.postgres.watch.Adoption;
import petstore.store.postgres.watch.Cluster;
import petstore.store.postgres.watch.Observation;
import petstore.store.postgres.watch.State;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

/// The rules of the watch, applied to a real server by several threads. `RulesTest` tests them alone.
@Timeout(60)
class CurrentPrimaryTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final String database = PostgresServer.newDatabase();
    private List<PostgresHost> hosts = List.of();

    @BeforeEach
    void createStore() {
        PostgresUri address = PostgresUri.parse(database);
        Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.CREATE).close();
        hosts = PostgresSearch.hosts(address);
    }

    private CurrentPrimary start() {
        return PostgresWatch.start(hosts, Cluster.UNKNOWN, 2, LIMIT);
    }

    private static void leave(CurrentPrimary primary) {
        primary.observe(new Observation.Fell(primary.state().term()));
    }

    private static Adoption awaitNext(CurrentPrimary primary, long term) {
        await().atMost(LIMIT)
                .until(() -> primary.findReady().filter(next -> next.adoption().term() > term).isPresent());
        return primary.findReady().orElseThrow().adoption();
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitConnections(int most) {
        await().atMost(LIMIT).until(() -> PostgresServer.query(database, "SELECT pid FROM pg_stat_activity"
                + " WHERE datname = current_database() AND application_name = 'petstore'").size() <= most);
    }

    /// The server is in use again before the request ends. A commit before may be missing on a successor.
    @ParameterizedTest
    @CsvSource({"SELECT 1, NO_PRIMARY", "UPDATE pet_id SET last_id = last_id, OUTCOME_UNKNOWN"})
    void refusesRequestIfServerWasLeft(String sql, Failure.Unavailability cause) throws SQLException {
        try (CurrentPrimary primary = start()) {
            assertThatThrownBy(() -> primary.use(session -> {
                var _ = session.inTransaction(Database.Work.of(transaction -> transaction.execute(sql)));
                long term = primary.state().term();
                leave(primary);
                return awaitNext(primary, term);
            })).asInstanceOf(type(Failure.class)).extracting(Failure::unavailability).isEqualTo(Optional.of(cause));
            assertThat(primary.<String>use(session -> session.text("SELECT 2"))).isEqualTo("2");
        }
        awaitConnections(0);
    }

    @Test
    void refusesVersionIfServerWasLeft() throws SQLException {
        try (CurrentPrimary primary = start()) {
            long before = primary.version().epoch();
            PostgresServer.query(database, "UPDATE pet_id SET last_id = 7");
            assertThat(primary.version().lastId()).isEqualTo(7);
            long term = primary.state().term();
            PostgresServer.query(database, "UPDATE pet_id SET last_id = 6");
            assertThatThrownBy(primary::version).isInstanceOf(Failure.class);
            assertThat(awaitNext(primary, term).version().epoch()).isGreaterThan(before);
        }
    }

    /// Two sessions with another schema would show another store's animals.
    @Test
    void usesOneSchema() {
        PostgresUri other = PostgresUri.parse(database + "?options=-csearch_path%3Dother");
        try (CurrentPrimary primary = start()) {
            PostgresServer.query(database, "CREATE SCHEMA other");
            Postgres.forCommand(other, SchemaPolicy.AUTO, StoreAccess.CREATE).close();
            PostgresServer.query(database, "UPDATE other.pet_id SET last_id = 3");
            Adoption first = primary.findReady().orElseThrow().adoption();
            PostgresServer.query(database,
                    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = other, public',"
                            + " current_database()); END $$");
            assertThat(primary.version().lastId()).isZero();
            PostgresServer.query(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'petstore'");
            Adoption next = awaitNext(primary, first.term());
            assertThat(next.version().epoch()).isGreaterThan(first.version().epoch());
            assertThat(primary.version().lastId()).isEqualTo(3);
        }
    }

    /// Two openings fail.
    @Test
    void usesServerOnlyAfterActions() {
        AtomicInteger actions = new AtomicInteger();
        try (CurrentPrimary primary = start()) {
            primary.onNewLineage(() -> {
                assertThat(primary.findReady()).isEmpty();
                assertThatThrownBy(() -> primary.use(_ -> 1)).isInstanceOf(Failure.class);
                if (actions.incrementAndGet() < 3) {
                    throw new IllegalStateException("broken");
                }
            });
            Adoption first = primary.findReady().orElseThrow().adoption();
            leave(primary);
            Adoption next = awaitNext(primary, first.term());
            assertThat(actions).hasValue(3);
            assertThat(next.version().epoch()).isEqualTo(first.version().epoch() + 3);
        }
        awaitConnections(0);
    }

    /// Another observation and the end overtake an opening that takes long. Its connections are closed when it completes.
    @Test
    void nothingWaitsForOpening() {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CurrentPrimary primary = start();
        try {
            primary.onNewLineage(() -> {
                began.countDown();
                awaitQuietly(released);
            });
            leave(primary);
            assertThat(awaitQuietly(began)).isTrue();
            assertThat(primary.state().phase()).isInstanceOf(State.Opening.class);
            leave(primary);
            assertThat(primary.state().phase()).isInstanceOf(State.None.class);
            primary.close();
            assertThat(primary.state().phase()).isInstanceOf(State.Closed.class);
        } finally {
            primary.close();
            released.countDown();
        }
        awaitConnections(0);
    }
}
