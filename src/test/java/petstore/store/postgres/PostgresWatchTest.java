package petstore.store.postgres;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.Scope;
import petstore.store.Database;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.watch.Cluster;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.LogLines;
import petstore.testkit.PlainPostgres;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static petstore.store.postgres.PostgresFailoverTest.add;
import static petstore.store.postgres.PostgresFailoverTest.awaitWithinLimit;
import static petstore.store.postgres.PostgresFailoverTest.list;

/// Changes of a PostgreSQL database under a running service. Responses match the primary, and the service adds nothing that may be
/// lost.
@Timeout(120)
class PostgresWatchTest {

    /// The service notices within three seconds; a busy machine may need two more.
    private static final Duration LIMIT = Duration.ofSeconds(3 + 2);
    private static final PetQuery ALL = new PetQuery(100, Optional.empty(), 0);
    private static final int WATCH_CONNECTIONS = 2;
    private static final IdempotencyKey IDEMPOTENCY_KEY = new IdempotencyKey(
            new IdempotencyKey.Name("shop", "createPet", "one"), "0".repeat(64), Duration.ofHours(1));

    @TempDir
    private static Path folder;
    private static PlainPostgres server;

    private final LogLines log = new LogLines("petstore.store");

    @BeforeAll
    static void startServer() throws IOException {
        server = new PlainPostgres(folder.resolve("server"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void resetServer() {
        log.close();
        server.alterSystem("RESET ALL");
        // A session of a closed store may still run its last statement, and hold locks.
        server.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
        server.query("DROP SCHEMA public CASCADE");
        server.query("CREATE SCHEMA public");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            synchronous_standby_names = 'nobody'  | a commit waits for its synchronous standby (synchronous_standby_names = nobody); check that it is running
            default_transaction_read_only = on    | the database is read-only (default_transaction_read_only)
            fsync = off                           | the database would lose data: its setting fsync is off
            full_page_writes = off                | the database would lose data: its setting full_page_writes is off""")
    void refusesRequestsWhileServerCannotCommitDurably(String setting, String reason) {
        try (SqlStore store = TestStore.serve(server.url())) {
            add(store, "Rex");
            List<Pet> before = list(store);
            server.alterSystem("SET " + setting);
            awaitWithinLimit(() -> {
                assertUnready(store);
                assertThat(server.connections()).isLessThanOrEqualTo(WATCH_CONNECTIONS + 1);
            });
            assertThat(log.with("the database cannot be used"))
                    .containsExactly("the database cannot be used: " + server.host() + ": " + reason);
            server.query("ALTER SYSTEM RESET ALL");
            server.query("SELECT pg_reload_conf()");
            awaitWithinLimit(() -> assertThatCode(store::check).doesNotThrowAnyException());
            assertThat(list(store)).isEqualTo(before);
            assertThat(add(store, "Tom")).isEqualTo(2);
            assertThat(log.with("the database can be used again after ")).hasSize(1);
        }
    }

    /// So it is on an old primary whose standby has taken over, if this replica cannot reach the standby.
    @Test
    void readsNothingTwoSecondsAfterLastCommit() {
        try (SqlStore store = TestStore.serve(server.url())) {
            add(store, "Rex");
            server.alterSystem("SET synchronous_standby_names = 'nobody'");
            long ceasedNs = System.nanoTime();
            assertThat(Duration.ofNanos(lastReadNs(store) - ceasedNs)).isLessThan(Duration.ofSeconds(2));
            assertUnready(store);
        }
    }

    /// Reads until the store refuses. Returns the time of the last result.
    private static long lastReadNs(SqlStore store) {
        long readNs = System.nanoTime();
        try {
            while (true) {
                var _ = list(store);
                readNs = System.nanoTime();
            }
        } catch (Failure e) {
            assertThat(e.explanation()).contains("the database cannot be used");
            return readNs;
        }
    }

    private static void assertUnready(SqlStore store) {
        assertThatThrownBy(store::check).isInstanceOf(Failure.class).hasMessage(Database.UNAVAILABLE);
        for (CompletableFuture<?> request : List.of(store.catalogue().list(ALL), store.catalogue().version(),
                store.catalogue().find(1), AbstractCatalogueTest.adding(store.catalogue(), pet("Tom")))) {
            assertThat(request).failsWithin(LIMIT).withThrowableThat().havingCause()
                    .isInstanceOfSatisfying(Failure.class, failure -> {
                        assertThat(failure.explanation()).contains("the database cannot be used");
                        assertThat(failure.getMessage()).isEqualTo(Database.UNAVAILABLE);
                    });
        }
    }

    /// Their COMMIT does not wait for the disk or the standby.
    @Test
    void transactionsWithoutChangeProveNoCommit() {
        try (SqlStore store = TestStore.serve(server.url())) {
            add(store, "Rex");
            server.alterSystem("SET synchronous_standby_names = 'nobody'");
            awaitWithinLimit(() -> assertThatThrownBy(() -> {
                store.keys().recordUses(Map.of("unknown", Instant.now()));
                store.catalogue().forEachGroup(_ -> {
                });
            }).isInstanceOf(Failure.class));
            assertUnready(store);
        }
    }

    /// After a stop the process ends, and with it the threads of the watch, whatever they do.
    @Test
    void stopItselfEndsUnfinishedCommit() {
        TestStore.serve(server.url()).close();
        PostgresHost host = PostgresSearch.hosts(PostgresUri.parse(server.url()))
                .getFirst();
        CurrentPrimary primary = PostgresWatch.start(List.of(host), Cluster.UNKNOWN, 1, LIMIT);
        try {
            server.alterSystem("SET synchronous_standby_names = 'nobody'");
            await().atMost(LIMIT).until(() -> host.prover().reason().isPresent());
            long own = Thread.currentThread().threadId();
            synchronized (host) {
                await("the watch waits for this thread").atMost(LIMIT).until(() -> Arrays.stream(
                        ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
                        .anyMatch(thread -> thread.getLockOwnerId() == own));
                primary.close();
                await().atMost(LIMIT).until(() -> server.query(
                        "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'").isEmpty());
            }
        } finally {
            primary.close();
        }
    }

    @Test
    void worksWithoutPermissionToEmitMessages() {
        server.query("CREATE ROLE clerk LOGIN");
        server.query("REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text, boolean) FROM PUBLIC");
        server.query("GRANT ALL ON SCHEMA public TO clerk");
        try (SqlStore store = TestStore.serve(server.url().replace("postgres@", "clerk@"))) {
            assertThat(add(store, "Rex")).isEqualTo(1);
            server.alterSystem("SET synchronous_standby_names = 'nobody'");
            awaitWithinLimit(() -> assertUnready(store));
        } finally {
            server.alterSystem("RESET ALL");
            server.query("GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text, boolean) TO PUBLIC");
            server.query("DROP OWNED BY clerk");
            server.query("DROP ROLE clerk");
        }
    }

    /// A transaction waits for the disk, even if the settings of the server or the address ask for less.
    @ParameterizedTest
    @CsvSource({"off, on", "local, on", "remote_write, on", "on, on", "remote_apply, remote_apply"})
    void commitsDurablyAtEachSynchronousCommit(String configured, String effective) {
        server.alterSystem("SET synchronous_commit = " + configured);
        String addressWithOption = server.url() + "?options=-c%20synchronous_commit%3D" + configured;
        for (String url : List.of(server.url(), addressWithOption)) {
            try (SqlStore store = TestStore.serve(url)) {
                server.query("CREATE TABLE IF NOT EXISTS used (setting TEXT)");
                server.query("CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN INSERT INTO used VALUES (current_setting(''synchronous_commit'')); RETURN NEW; END'");
                server.query(
                        "CREATE OR REPLACE TRIGGER note BEFORE INSERT ON pet FOR EACH ROW EXECUTE FUNCTION note()");
                server.query("DELETE FROM used");
                add(store, "Rex");
                assertThat(server.query("SELECT setting FROM used")).containsExactly(effective);
            }
        }
    }

    /// The API keys cannot be read meanwhile.
    @Test
    void beginsNewEpochAfterOlderDumpIsRestored() throws SQLException {
        try (SqlStore store = TestStore.serve(server.url()); Connection locking = server.connect()) {
            store.keys()
                    .add(ApiKey.issued(KeyToken.random(), "lost", Set.of(Scope.READ), Instant.EPOCH,
                            Optional.empty(), Optional.empty()));
            store.keys().refresh().join();
            assertThat(store.keys().known().keys()).hasSize(1);
            add(store, "Rex");
            add(store, "lost");
            CatalogueVersion before = AbstractCatalogueTest.awaited(store.catalogue().version());
            server.query("ALTER TABLE api_key DISABLE TRIGGER ALL");
            server.query("DELETE FROM api_key");
            server.query("DELETE FROM pet WHERE id = 2");
            locking.setAutoCommit(false);
            try (Statement lock = locking.createStatement()) {
                lock.execute("LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE");
            }
            assertThat(store.keys().known().age()).isLessThan(Duration.ofHours(1));
            Instant now = store.keys().known().now();
            server.query("UPDATE pet_id SET last_id = 1");
            awaitWithinLimit(() -> {
                CatalogueVersion after = AbstractCatalogueTest.awaited(store.catalogue().version());
                assertThat(after.lastId()).isEqualTo(1);
                assertThat(after.epoch()).isGreaterThan(before.epoch());
            });
            assertThat(store.keys().known().age()).as("age of keys of the epoch before")
                    .isGreaterThan(Duration.ofHours(1));
            assertThat(store.keys().known().now()).isBetween(now, now.plus(LIMIT.multipliedBy(2)));
            locking.rollback();
            store.keys().refresh().join();
            assertThat(store.keys().known().keys()).as("keys are read again although no change was counted").isEmpty();
            assertThat(add(store, "Tom")).isEqualTo(2);
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().find(2)).orElseThrow().name())
                    .hasToString("Tom");
        }
    }

    @Test
    void raisesEpochAfterChangeBySqlWithoutRefusal() {
        try (SqlStore store = TestStore.serve(server.url())) {
            add(store, "Rex");
            add(store, "Tom");
            long before = store.catalogue().findEpoch().orElseThrow();
            server.query("DELETE FROM pet WHERE id = 2");
            await("the watch alone sees it").atMost(LIMIT).until(() -> store.catalogue().findEpoch(),
                    Optional.of(before + 1)::equals);
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().version()))
                    .isEqualTo(new CatalogueVersion(before + 1, 2));
            assertThat(log.with("the database cannot be used")).isEmpty();
        }
    }

    /// Creates prove that the server is the primary, but not that no animal was changed by SQL.
    @Test
    void epochIsUnknownIfOnlyCreatesSucceed() throws SQLException {
        try (SqlStore store = TestStore.serve(server.url());
                Connection operator = server.connect();
                Statement statement = operator.createStatement()) {
            operator.setAutoCommit(false);
            statement.execute("LOCK TABLE pet_change");
            await().atMost(LIMIT).until(() -> {
                add(store, "Rex");
                return store.catalogue().findEpoch().isEmpty();
            });
            operator.rollback();
            awaitWithinLimit(() -> assertThat(store.catalogue().findEpoch()).isPresent());
        }
    }

    /// A restore in place makes the tables anew. Here neither the number of changes nor the greatest id falls.
    @ParameterizedTest
    @ValueSource(strings = {"pet", "pet_id", "pet_change", "api_key"})
    void beginsNewEpochIfTableIsReplaced(String table) {
        try (SqlStore store = TestStore.serve(server.url())) {
            add(store, "Rex");
            long before = store.catalogue().findEpoch().orElseThrow();
            server.query("""
                    CREATE TABLE restored (LIKE %1$s INCLUDING ALL);
                    INSERT INTO restored SELECT * FROM %1$s;
                    DROP TABLE %1$s CASCADE;
                    ALTER TABLE restored RENAME TO %1$s;
                    CREATE OR REPLACE VIEW catalogue_version AS SELECT last_id, changes FROM pet_id, pet_change"""
                    .formatted(table));
            awaitWithinLimit(() -> assertThat(store.catalogue().findEpoch()).contains(before + 1));
            assertThat(log.with("the database cannot be used")).singleElement().asString().contains("restored");
            assertThat(add(store, "Tom")).isEqualTo(2);
        }
    }

    @Test
    void keepsEpochIfTablesAreRewritten() {
        try (SqlStore store = TestStore.serve(server.url())) {
            add(store, "Rex");
            long before = store.catalogue().findEpoch().orElseThrow();
            for (String rewrite : List.of("VACUUM FULL pet", "VACUUM FULL pet_id", "CLUSTER pet USING pet_pkey",
                    "REINDEX TABLE pet", "ALTER TABLE pet SET (fillfactor = 50)",
                    "ALTER TABLE pet ADD COLUMN rewritten TEXT DEFAULT clock_timestamp()::TEXT",
                    "TRUNCATE idempotency")) {
                server.query(rewrite);
            }
            await().during(Duration.ofMillis(1_500)).atMost(LIMIT)
                    .until(() -> store.catalogue().findEpoch().filter(epoch -> epoch > before).isEmpty());
            assertThat(log.with("the database cannot be used")).isEmpty();
        }
    }

    /// An older state was restored while the create waited, before the watch noticed.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void outcomeIsUnknownIfIdWasUsedBefore(boolean retryable) throws SQLException {
        try (SqlStore store = TestStore.serve(server.url());
                Connection operator = server.connect();
                Statement statement = operator.createStatement()) {
            add(store, "Rex");
            add(store, "Tom");
            operator.setAutoCommit(false);
            statement.execute("UPDATE pet_id SET last_id = 1");
            statement.execute("DELETE FROM pet WHERE id = 2");
            CompletableFuture<?> create = retryable
                    ? store.catalogue().add(pet("Tim"), Optional.of(IDEMPOTENCY_KEY))
                    : AbstractCatalogueTest.adding(store.catalogue(), pet("Tim"));
            await().atMost(LIMIT).until(() -> server.query("SELECT 1 FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND wait_event_type = 'Lock'").size() == 1);
            operator.commit();
            assertThat(create).failsWithin(LIMIT).withThrowableThat().havingCause()
                    .isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.unavailability())
                            .contains(Failure.Unavailability.OUTCOME_UNKNOWN));
            awaitWithinLimit(() -> assertThat(add(store, "Tim")).isGreaterThan(1));
            assertThat(log.with("an older state of the database was restored")).hasSize(1);
        }
    }

    /// The standby was lost after the command had begun, e.g. during an import.
    @Test
    void commandDoesNotWaitLongForLostStandby() {
        try (SqlStore store = SqlStore.of(Postgres.forCommand(PostgresUri.parse(server.url()), SchemaPolicy.AUTO,
                StoreAccess.CREATE))) {
            add(store, "Rex");
            server.alterSystem("SET synchronous_standby_names = 'nobody'");
            long beganNs = System.nanoTime();
            assertThatThrownBy(() -> store.keys().add(ApiKey.issued(KeyToken.random(), "shop", Set.of(Scope.READ),
                    Instant.EPOCH, Optional.empty(), Optional.empty())))
                    .hasMessageContaining("the outcome of a COMMIT is unknown").hasMessageContaining("standby");
            assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isBetween(Duration.ofSeconds(10),
                    Duration.ofSeconds(10).plus(LIMIT));
        }
    }

    private static NewPet pet(String name) {
        return new NewPet(name, 1, Optional.empty());
    }
}
