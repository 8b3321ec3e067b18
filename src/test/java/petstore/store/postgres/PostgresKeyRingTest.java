package petstore.store.postgres;

import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.ApiKey;
import petstore.Closer;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Scope;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractKeyRingTest;
import petstore.testkit.LogLines;
import petstore.testkit.PostgresServer;
import petstore.testkit.SocketFault;
import petstore.testkit.TcpProxy;
import petstore.testkit.TestStore;

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
        store = TestStore.serve(url);
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
            "close, rate_limit FROM api_key, true", "silence, LOCK TABLE, false",
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

    /// Other sessions and the disk hold up everything else: reads, writes, metrics, and the last uses of keys.
    @Test
    void readsKeysBesideWorkThatHangs() throws Exception {
        String address = url + "?options=-csearch_path%3Dpublic%2Cpg_catalog";
        execute("CREATE FUNCTION pg_database_size(name) RETURNS bigint LANGUAGE sql AS"
                + " 'SELECT pg_advisory_xact_lock(1); SELECT 1::bigint'");
        ApiKey used = first();
        keys().add(used);
        ApiKey other = ApiKey.issued(KeyToken.random(), "other", Set.of(Scope.READ), Instant.EPOCH, Optional.empty(),
                Optional.empty());
        keys().add(other);
        AtomicBoolean ended = new AtomicBoolean();
        try (SqlStore busy = new SqlStore(Postgres.forService(PostgresUri.parse(address), SchemaPolicy.AUTO, 1,
                PATIENCE, new AtomicBoolean()), new SimpleMeterRegistry());
                Connection connection = PostgresServer.connect(url);
                Statement locks = connection.createStatement();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Closer end = new Closer()) {
            end.add(() -> ended.set(true));
            busy.keys().refresh().join();
            connection.setAutoCommit(false);
            locks.execute("SELECT pg_advisory_xact_lock(1)");
            locks.execute("SELECT id FROM api_key WHERE id = '" + used.id() + "' FOR UPDATE");
            locks.execute("LOCK TABLE pet IN ACCESS EXCLUSIVE MODE");
            for (Supplier<?> task : List.<Supplier<?>>of(busy::facts, () -> {
                busy.keys().recordUses(Map.of(used.id(), Instant.now()));
                return 1;
            }, () -> busy.catalogue().find(1).join(), () -> busy.catalogue()
                    .add(new NewPet("Rex", 1, Optional.empty()), Optional.empty()).join())) {
                for (int i = 0; i < 3; i++) {
                    threads.execute(() -> repeat(task, ended));
                }
            }
            await("the reader, both writers, and the rest on one connection").atMost(PATIENCE)
                    .until(() -> PostgresServer.waitingForLocks(url).size() >= 4);
            for (int i = 0; i < 20; i++) {
                boolean revoked = i % 2 == 0;
                execute("UPDATE api_key SET revoked_ms = " + (revoked ? 1 : "NULL") + " WHERE id = '" + other.id()
                        + "'");
                assertThat(busy.keys().refresh()).succeedsWithin(Duration.ofSeconds(1));
                assertThat(busy.keys().known().keys().values()).filteredOn(key -> key.revoked().isPresent())
                        .hasSize(revoked ? 1 : 0);
                busy.check();
                assertThat(busy.catalogue().version()).succeedsWithin(Duration.ofSeconds(1));
            }
        }
    }

    private static void repeat(Supplier<?> task, AtomicBoolean ended) {
        while (!ended.get()) {
            try {
                var _ = task.get();
            } catch (Failure | CompletionException e) {
                // It took too long, as it should.
            }
        }
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
