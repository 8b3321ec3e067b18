package petstore.store.postgres;

import java.io.IOException;
import java.net.URI;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.ApiKey;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.Scope;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractKeyRingTest;
import petstore.testkit.LogLines;
import petstore.testkit.PostgresServer;
import petstore.testkit.SocketFault;
import petstore.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
        ApiKey first = first();
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

    /// A failure after the first adoption. If only the response to a COMMIT is lost, the key was added.
    @ParameterizedTest
    @CsvSource({"close, FROM api_key_change, false", "silence, FROM api_key_change, false",
            "close, FROM api_key ORDER, true", "silence, LOCK TABLE, false",
            "refuse, FROM api_key_change, false", "close, INSERT INTO api_key, true",
            "close, INSERT INTO api_key;COMMIT, false",
            "close, INSERT INTO api_key;COMMIT, true", "silence, INSERT INTO api_key;COMMIT, true",
            "close, FROM api_key WHERE id, false"})
    void startWaitsForReadingAndFirstKey(SocketFault fault, String statements, boolean forwards) throws IOException {
        ApiKey first = first();
        try (TcpProxy proxy = new TcpProxy(URI.create(url).getPort(), Duration.ZERO);
                SqlStore starting = serve(proxy, PATIENCE);
                LogLines log = new LogLines("petstore.store.postgres")) {
            proxy.failAfter(fault, forwards, statements.split(";", -1));
            CompletableFuture<Boolean> added = CompletableFuture.supplyAsync(() -> {
                starting.keys().load();
                return starting.keys().addFirst(first);
            }, task -> Thread.ofPlatform().daemon().start(task));
            await("a line").atMost(PATIENCE).until(() -> !log.with("waiting for the database: ").isEmpty());
            if (fault.text().equals("refuse")) {
                // The next attempts are refused.
                await().during(Duration.ofSeconds(1)).until(() -> !added.isDone());
            }
            assertThat(added).isNotDone();
            proxy.moveTo(URI.create(url).getPort());
            assertThat(added).succeedsWithin(PATIENCE).isEqualTo(true);
            assertThat(log.with("waiting for the database: ")).hasSize(1);
        }
        assertThat(keys().list()).extracting(ApiKey::id).containsExactly(first.id());
    }

    @Test
    void startEndsAfterItsWaitOrAtOnce() throws IOException {
        try (TcpProxy proxy = new TcpProxy(URI.create(url).getPort(), Duration.ZERO);
                SqlStore starting = serve(proxy, Duration.ofSeconds(1))) {
            proxy.failAfter(new SocketFault("close"), false, "FROM api_key_change");
            assertThatThrownBy(starting.keys()::load).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("--database-wait is over");
        }
        execute("ALTER TABLE api_key RENAME TO other");
        try (LogLines log = new LogLines("petstore.store.postgres")) {
            assertThatThrownBy(() -> keys().addFirst(first())).isInstanceOf(Failure.class)
                    .hasRootCauseMessage("localhost:" + URI.create(url).getPort()
                            + ": ERROR: relation \"api_key\" does not exist; if it exists, GRANT USAGE of its schema to the user");
            assertThat(log.with("waiting")).isEmpty();
        }
    }

    private static ApiKey first() {
        return ApiKey.issued(KeyToken.random(), "first", Set.of(Scope.READ), Instant.EPOCH,
                Optional.empty(), Optional.empty());
    }

    private SqlStore serve(TcpProxy proxy, Duration wait) {
        PostgresUri address = PostgresUri.parse(url.replaceFirst("localhost:[0-9]+", "127.0.0.1:" + proxy.port()));
        return new SqlStore(Postgres.forService(address, SchemaPolicy.AUTO, 2, wait, new AtomicBoolean()),
                new SimpleMeterRegistry());
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
