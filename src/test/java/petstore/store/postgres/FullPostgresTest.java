package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.watch.Adoption;
import petstore.store.postgres.watch.Cluster;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.LogLines;
import petstore.testkit.PlainPostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// A server, database or user that has no free connection slot.
@Timeout(120)
class FullPostgresTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String NO_SLOT = "53300";
    /// Two sessions that prove a commit.
    private static final int NEEDED_BY_COMMAND = 2;
    /// One more for the schema, later for the pool.
    private static final int NEEDED_BY_SERVICE = 3;

    @TempDir
    private static Path folder;
    private static PlainPostgres server;
    private static PostgresUri address;

    private final Deque<Connection> held = new ArrayDeque<>();

    @BeforeAll
    static void startServer() throws IOException {
        server = new PlainPostgres(folder.resolve("postgresql"));
        server.alterSystem("SET max_connections = 12");
        server.kill();
        server.start();
        server.query("CREATE ROLE shop LOGIN");
        server.query("GRANT ALL ON SCHEMA public TO shop");
        address = PostgresUri.parse("postgresql://shop@" + server.host() + "/postgres");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void reset() throws SQLException {
        free(held.size());
        server.query("ALTER ROLE shop CONNECTION LIMIT -1");
        server.query("ALTER DATABASE postgres CONNECTION LIMIT -1");
    }

    /// The server keeps its last slots for superusers, so that they can still end sessions.
    @ParameterizedTest
    @ValueSource(strings = {"SELECT 1", "ALTER ROLE shop CONNECTION LIMIT 5",
            "ALTER DATABASE postgres CONNECTION LIMIT 5"})
    void serviceAndCommandWaitForFreeSlot(String limit) throws SQLException {
        server.query(limit);
        hold();
        assertWaits(() -> SqlStore.of(Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.CREATE)),
                NEEDED_BY_COMMAND);
        hold();
        assertWaits(
                () -> new SqlStore(Postgres.forService(address, SchemaPolicy.AUTO, 2, PATIENCE, new AtomicBoolean()),
                        new SimpleMeterRegistry()),
                NEEDED_BY_SERVICE);
    }

    /// Between the search and the first connection of the pool, other clients may take the slots.
    @Test
    void serviceWaitsForSlotOfItsPool() throws SQLException {
        Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.CREATE).close();
        server.query("ALTER ROLE shop CONNECTION LIMIT 2");
        try (PostgresHost host = PostgresSearch.hosts(address).getFirst()) {
            host.prover().prove(host.observe(), true);
            CompletableFuture<CurrentPrimary> starting = CompletableFuture.supplyAsync(() -> PostgresWatch
                    .start(List.of(host), Cluster.UNKNOWN, 1, Duration.ofMinutes(1)));
            await().during(Duration.ofSeconds(2)).atMost(PATIENCE).until(() -> !starting.isDone());
            server.query("ALTER ROLE shop CONNECTION LIMIT -1");
            try (CurrentPrimary primary = starting.join()) {
                assertThat(primary.findReady()).isPresent();
            }
        }
    }

    /// A lock stops the reading of the version, but costs the watch no session, whose slot another client would take.
    @Test
    void watchKeepsItsSlotsDuringLock() throws SQLException {
        try (SqlStore store = new SqlStore(Postgres.forService(address, SchemaPolicy.AUTO, 2, PATIENCE,
                new AtomicBoolean()), new SimpleMeterRegistry());
                Connection other = server.connect();
                Statement lock = other.createStatement()) {
            server.query("ALTER ROLE shop CONNECTION LIMIT 0");
            other.setAutoCommit(false);
            lock.execute("LOCK TABLE pet_id");
            await().during(Adoption.TRUST.multipliedBy(2)).atMost(PATIENCE)
                    .untilAsserted(() -> assertThatCode(store::check).doesNotThrowAnyException());
            other.rollback();
        }
    }

    @Test
    void failedStartEndsItsWatch() {
        Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.CREATE).close();
        server.query("ALTER ROLE shop CONNECTION LIMIT 0");
        assertThatThrownBy(
                () -> PostgresWatch.start(PostgresSearch.hosts(address), Cluster.UNKNOWN, 1,
                        Duration.ZERO))
                .isInstanceOf(CommandFailure.class).hasMessageContaining("cannot be used");
        server.query("ALTER ROLE shop CONNECTION LIMIT -1");
        await().during(Duration.ofSeconds(1)).atMost(PATIENCE).until(() -> server.connections() == 0);
    }

    private void assertWaits(Supplier<SqlStore> open, int slots) throws SQLException {
        try (LogLines log = new LogLines("petstore.store.postgres")) {
            CompletableFuture<SqlStore> opening = CompletableFuture.supplyAsync(open,
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(PATIENCE).until(
                    () -> log.with("waiting for the database: ").stream().anyMatch(line -> line.contains(": FATAL")));
            assertThat(opening).isNotDone();
            free(slots);
            try (SqlStore store = opening.join()) {
                assertThat(AbstractCatalogueTest.added(store.catalogue(), new NewPet("Rex", 1, Optional.empty()))
                        .id()).isPositive();
            }
        }
    }

    /// Takes all slots that the user can get.
    private void hold() throws SQLException {
        try {
            while (true) {
                held.push(DriverManager.getConnection("jdbc:postgresql://" + server.host() + "/postgres", "shop", ""));
            }
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo(NO_SLOT);
        }
    }

    private void free(int slots) throws SQLException {
        for (int i = 0; i < slots; i++) {
            held.pop().close();
        }
    }
}
