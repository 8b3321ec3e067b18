package petstore.store.postgres;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.Scope;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractKeyRingTest;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The key ring on PostgreSQL.
class PostgresKeyRingTest extends AbstractKeyRingTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String url = PostgresServer.newDatabase();
    private final PostgresUri database = PostgresUri.parse(url);
    private SqlStore store;

    @BeforeEach
    void open() {
        store = new SqlStore(
                Postgres.forService(database, SchemaPolicy.AUTO, 16, Duration.ofMinutes(2), new AtomicBoolean()),
                new SimpleMeterRegistry());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Override
    protected KeyRing keys() {
        return store.keys();
    }

    @Override
    protected SqlStore openAnother() {
        return SqlStore.of(Postgres.forCommand(database, SchemaPolicy.AUTO, StoreAccess.CREATE));
    }

    @Override
    protected void execute(String sql) {
        PostgresServer.query(url, sql);
    }

    @Override
    protected void reopen() {
        close();
        open();
    }

    @Test
    void addFirstWaitsForUncommittedKey() throws Exception {
        ApiKey first = ApiKey.issued(KeyToken.random(new SecureRandom()), "first", Set.of(Scope.READ), Instant.EPOCH,
                Optional.empty(), Optional.empty());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = PostgresServer.connect(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO api_key (id, name, scopes, secret_sha256, created_ms)"
                    + " VALUES ('key number0', 'other', 'pets:read', repeat('0', 64), 0)");
            CompletableFuture<Boolean> added = CompletableFuture.supplyAsync(() -> keys().addFirst(first), threads);
            await("the first key waits for the lock").atMost(PATIENCE)
                    .until(() -> !PostgresServer.waitingForLocks(url).isEmpty());
            connection.commit();
            assertThat(added).succeedsWithin(PATIENCE).isEqualTo(false);
        }
        assertThat(keys().list()).extracting(ApiKey::name).containsExactly("other");
    }

    /// Otherwise two processes that record uses of the same keys could deadlock.
    @Test
    void recordsUsesInFixedOrder() throws Exception {
        Map<String, Instant> uses = new LinkedHashMap<>();
        for (int i = 9; i >= 0; i--) {
            KeyToken token = new KeyToken("key number" + i, "s".repeat(32));
            keys().add(ApiKey.issued(token, token.id(), Set.of(Scope.READ), Instant.EPOCH, Optional.empty(),
                    Optional.empty()));
            uses.put(token.id(), Instant.EPOCH);
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = PostgresServer.connect(url);
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT id FROM api_key WHERE id = 'key number9' FOR UPDATE");
            CompletableFuture<Void> recording = CompletableFuture.runAsync(() -> keys().recordUses(uses), threads);
            await("the recording waits for the locked key").atMost(PATIENCE)
                    .until(() -> !PostgresServer.waitingForLocks(url).isEmpty());
            assertThat(PostgresServer.query(url, "SELECT id FROM api_key FOR UPDATE SKIP LOCKED"))
                    .as("keys that the recording has not locked before").isEmpty();
            connection.rollback();
            assertThat(recording).succeedsWithin(PATIENCE);
        }
    }
}
