package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CatalogueVersion;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.LogLines;
import petstore.testkit.PlainPostgres;
import petstore.testkit.TcpProxy;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

/// The failover of a running service to another server. Separate from [PostgresWatchTest], so that both run in parallel.
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class PostgresFailoverTest {

    /// The service notices within three seconds; a busy machine may need two more.
    private static final Duration LIMIT = Duration.ofSeconds(3 + 2);
    private static final PetQuery ALL = new PetQuery(100, Optional.empty(), 0);
    private static final int WATCH_CONNECTIONS = 2;

    /// Longer than the service needs to use a server.
    private static final Duration REFUSED = Duration.ofSeconds(2);
    private static final String OLDER_TIMELINE = "is refused: the server is on the older timeline 1";

    @TempDir
    private Path folder;
    private final LogLines log = new LogLines("petstore.store");

    @AfterEach
    void closeLog() {
        log.close();
    }

    /// If the old primary keeps running, it still accepts writes after the other server has taken over.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void switchesToNewPrimary(boolean oldKeepsRunning) throws IOException {
        PlainPostgres old = new PlainPostgres(folder.resolve("old"));
        try (SqlStore store = TestStore.serve(old.url())) {
            add(store, "Rex");
        }
        try (old;
                PlainPostgres next = old.standby(folder.resolve("next"));
                SqlStore store = TestStore
                        .serve("postgresql://postgres@" + old.host() + "," + next.host() + "/postgres")) {
            assertThat(add(store, "lost")).isEqualTo(2);
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().find(2)).orElseThrow().name())
                    .hasToString("lost");
            CatalogueVersion before = AbstractCatalogueTest.awaited(store.catalogue().version());
            if (!oldKeepsRunning) {
                old.kill();
            }
            next.promote();
            awaitWithinLimit(() -> {
                assertThatCode(store::check).doesNotThrowAnyException();
                assertThat(list(store)).extracting(pet -> pet.name()).containsExactly("Rex");
            });
            CatalogueVersion after = AbstractCatalogueTest.awaited(store.catalogue().version());
            assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().find(2))).isEmpty();
            assertThat(add(store, "Tom")).isEqualTo(2);
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().find(2)).orElseThrow().name())
                    .hasToString("Tom");
            if (oldKeepsRunning) {
                awaitWithinLimit(() -> assertThat(old.connections()).isLessThanOrEqualTo(WATCH_CONNECTIONS));
            } else {
                old.start();
            }
            next.kill();
            assertRefused(store);
            assertThat(old.query("SELECT name FROM pet")).containsExactly("Rex", "lost");
            next.start();
            awaitWithinLimit(() -> assertThat(list(store)).extracting(pet -> pet.name()).containsExactly("Rex", "Tom"));
            assertThat(refusalsOf(old.host())).hasSize(1);
        }
    }

    /// The address leads to the primary of the older timeline after each attempt to use the other, also after one that failed.
    @Test
    void refusesOlderTimelineBehindMovingAddress() throws IOException {
        PlainPostgres old = new PlainPostgres(folder.resolve("old"));
        old.query("CREATE ROLE clerk LOGIN");
        old.query("GRANT ALL ON SCHEMA public TO clerk");
        TestStore.serve(old.url().replace("postgres@", "clerk@")).close();
        try (old;
                PlainPostgres next = old.standby(folder.resolve("next"));
                TcpProxy address = new TcpProxy(old.port(), Duration.ZERO);
                SqlStore store = TestStore.serve("postgresql://clerk@127.0.0.1:" + address.port() + "/postgres")) {
            assertThat(add(store, "lost")).isEqualTo(1);
            next.promote();
            // Enough for the watch, but not for the pool.
            await().atMost(LIMIT).ignoreExceptions()
                    .until(() -> next.query("ALTER ROLE clerk CONNECTION LIMIT " + WATCH_CONNECTIONS).isEmpty());
            address.moveTo(next.port());
            awaitWithinLimit(() -> assertThatThrownBy(store::check).asInstanceOf(type(Failure.class))
                    .extracting(Failure::explanation)
                    .asString().contains("too many connections"));
            address.moveTo(old.port());
            assertRefused(store);

            next.query("ALTER ROLE clerk CONNECTION LIMIT -1");
            address.moveTo(next.port());
            awaitWithinLimit(() -> assertThat(list(store)).isEmpty());
            assertThat(add(store, "Tom")).isEqualTo(1);
            address.moveTo(old.port());
            assertRefused(store);
            assertThat(old.query("SELECT name FROM pet")).containsExactly("lost");
            next.kill();
            next.start();
            address.moveTo(next.port());
            awaitWithinLimit(() -> assertThat(list(store)).extracting(pet -> pet.name()).containsExactly("Tom"));
            assertThat(refusalsOf("127.0.0.1:" + address.port())).hasSize(2);
        }
    }

    /// A commit of the watch waits on the old primary, whose standby is the new one.
    @Test
    void logsOnceThatServerIsRefusedWhoseCommitWaits() throws IOException {
        PlainPostgres old = new PlainPostgres(folder.resolve("old"));
        TestStore.serve(old.url()).close();
        try (old;
                PlainPostgres next = old.standby(folder.resolve("next"));
                SqlStore store = TestStore
                        .serve("postgresql://postgres@" + old.host() + "," + next.host() + "/postgres")) {
            old.alterSystem("SET synchronous_standby_names = 'next'");
            assertRefused(store, "a commit waits for its synchronous standby");
            next.promote();
            awaitWithinLimit(() -> assertThat(add(store, "Rex")).isPositive());
            await().atMost(LIMIT).during(REFUSED).untilAsserted(() -> assertThat(refusalsOf(old.host())).hasSize(1));
        }
    }

    /// A list of hosts whose servers are of two clusters, each with a store.
    @Test
    void staysWithItsClusterUntilTheProcessEnds() throws IOException {
        try (PlainPostgres first = new PlainPostgres(folder.resolve("first"));
                PlainPostgres other = PlainPostgres.ofOtherCluster(folder.resolve("other"))) {
            String both = "postgresql://postgres@" + first.host() + "," + other.host() + "/postgres";
            assertThatThrownBy(() -> TestStore.serve(both)).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("different clusters").hasMessageContaining(identifier(first))
                    .hasMessageContaining(identifier(other));
            TestStore.serve(first.url()).close();
            TestStore.serve(other.url()).close();
            assertThat(PostgresInspection.of(PostgresUri.parse(both))).allSatisfy(outcome -> assertThat(
                    outcome.problem()).contains("different clusters", identifier(first), identifier(other)));
            for (StoreAccess access : StoreAccess.values()) {
                assertThatThrownBy(() -> Postgres.forCommand(PostgresUri.parse(both), SchemaPolicy.AUTO, access))
                        .isInstanceOf(CommandFailure.class).hasMessageContaining("different clusters");
            }
            other.kill();
            try (SqlStore store = TestStore.serve(both)) {
                assertThat(add(store, "Rex")).isEqualTo(1);
                other.start();
                await().atMost(LIMIT).until(() -> !log.with(other.host() + " is refused").isEmpty());
                assertThat(add(store, "Tom")).isEqualTo(2);
                first.kill();
                assertRefused(store, "restart this service");
                first.start();
                awaitWithinLimit(() -> assertThat(list(store)).hasSize(2));
            }
            assertThat(log.with(other.host() + " is refused")).singleElement().asString()
                    .contains(identifier(first), identifier(other), "restart");
            assertThat(other.query("SELECT name FROM pet")).isEmpty();
        }
    }

    private static String identifier(PlainPostgres server) throws IOException {
        return server.query("SELECT system_identifier FROM pg_control_system()").getFirst();
    }

    /// Returns the log lines that refuse a server. Other tests log at the same time.
    private List<String> refusalsOf(String host) {
        return log.with(OLDER_TIMELINE).stream().filter(line -> line.contains(host)).toList();
    }

    private static void assertRefused(SqlStore store) {
        assertRefused(store, "older timeline");
    }

    /// Asserts that the store refuses requests for longer than it needs to use a server.
    private static void assertRefused(SqlStore store, String reason) {
        await().atMost(LIMIT.plus(REFUSED)).during(REFUSED).untilAsserted(() -> {
            assertThatThrownBy(store::check).asInstanceOf(type(Failure.class)).extracting(Failure::explanation)
                    .asString().contains(reason);
            assertThatThrownBy(() -> add(store, "gone")).isInstanceOf(Failure.class);
        });
    }

    static void awaitWithinLimit(ThrowingRunnable assertion) {
        await().atMost(LIMIT).ignoreException(Failure.class).untilAsserted(assertion);
    }

    static List<Pet> list(SqlStore store) {
        return AbstractCatalogueTest.list(store.catalogue(), ALL).pets();
    }

    static long add(SqlStore store, String name) {
        return AbstractCatalogueTest.added(store.catalogue(), new NewPet(name, 1, Optional.empty())).id();
    }
}
