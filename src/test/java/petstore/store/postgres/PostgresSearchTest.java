package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.watch.ServerState;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.FreePort;
import petstore.testkit.LogLines;
import petstore.testkit.PlainPostgres;
import petstore.testkit.SocketFault;
import petstore.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// The choice between an old primary, its promoted successor, and a standby that followed the successor.
@Timeout(120)
class PostgresSearchTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /// Shorter than the wait for a host that cannot be compared.
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final NewPet REX = new NewPet("Rex", 1, Optional.empty());
    private static final String OLDER = "older timeline 1; another server was on timeline 2";

    @TempDir
    private static Path folder;
    private static PlainPostgres old;
    private static PlainPostgres next;
    private static PlainPostgres standby;

    private final LogLines log = new LogLines("petstore.store.postgres");

    @BeforeAll
    static void startServers() throws IOException {
        old = new PlainPostgres(folder.resolve("old"));
        old.query("CREATE ROLE clerk LOGIN");
        old.query("GRANT ALL ON SCHEMA public TO clerk");
        command(old).close();
        next = old.standby(folder.resolve("next"));
        next.promote();
        await().atMost(PATIENCE).until(() -> next.query("SELECT pg_is_in_recovery()"), List.of("f")::equals);
        next.query("CHECKPOINT");
        standby = next.standby(folder.resolve("standby"));
    }

    @AfterAll
    static void stopServers() {
        List.of(old, next, standby).forEach(PlainPostgres::close);
    }

    @AfterEach
    void reset() {
        log.close();
        next.query("ALTER ROLE clerk CONNECTION LIMIT -1");
        next.alterSystem("RESET synchronous_standby_names");
        assertThat(old.query("SELECT name FROM pet")).isEmpty();
    }

    /// A name that does not exist yet is normal in Kubernetes; a command may have a mistyped one.
    @Test
    void unknownHostIsWaitedForButNotLongByCommand() {
        assertThatThrownBy(() -> Postgres.forService(address("none.invalid:5432"), SchemaPolicy.AUTO, 1, SHORT,
                new AtomicBoolean())).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--database-wait is over: the host cannot be resolved: none.invalid");
        assertThat(log.with("waiting for the database: none.invalid:5432: the host cannot be resolved")).isNotEmpty();
        PostgresUri address = address("none.invalid:5432");
        List<PostgresHost> hosts = PostgresSearch.hosts(address);
        PostgresSearch command = new PostgresSearch(address, hosts, true, SHORT);
        assertThatThrownBy(() -> command.find(PATIENCE, " after a wait of %d s", found -> found))
                .isInstanceOf(CommandFailure.class).hasMessageContaining(
                        " after a wait of " + SHORT.toSeconds() + " s: the host cannot be resolved: none.invalid");
    }

    @Test
    void waitsForServerThatIsFull() {
        next.query("ALTER ROLE clerk CONNECTION LIMIT 0");
        usesNext(() -> command(old, next), "too many connections",
                () -> next.query("ALTER ROLE clerk CONNECTION LIMIT -1"));
    }

    /// A standby without `hot_standby` refuses queries for ever.
    @Test
    void usesOtherServerAfterWait() {
        next.query("ALTER ROLE clerk CONNECTION LIMIT 0");
        PostgresUri address = address(old.host(), next.host());
        List<PostgresHost> hosts = PostgresSearch.hosts(address);
        try {
            assertThat(new PostgresSearch(address, hosts, true, SHORT).<PostgresHost>find(SHORT, "", found -> found)
                    .address().hostNames()).isEqualTo(old.host());
        } finally {
            hosts.forEach(PostgresHost::close);
        }
        assertThat(log.with("too many connections")).isNotEmpty();
    }

    /// The later timeline was seen, but its server stopped before it was used.
    @Test
    void remembersServerThatCannotCommit() {
        next.alterSystem("SET synchronous_standby_names = 'nobody'");
        usesNext(() -> command(old, next), "waiting", () -> {
            next.kill();
            await().atMost(PATIENCE).during(SHORT).until(() -> log.with("waiting").size(), count -> count > 0);
            next.start();
            next.alterSystem("RESET synchronous_standby_names");
        });
    }

    /// A commit that completes late proves nothing for the next run of its server.
    @Test
    void lateProofDoesNotCountForNextRun() {
        next.alterSystem("SET synchronous_standby_names = 'nobody'");
        PostgresUri address = address(next.host());
        List<PostgresHost> hosts = PostgresSearch.hosts(address);
        PostgresHost host = hosts.getFirst();
        try {
            CompletableFuture<PostgresHost> finding = CompletableFuture.supplyAsync(
                    () -> new PostgresSearch(address, hosts, true, PATIENCE).find(PATIENCE, "", found -> found),
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(PATIENCE).until(() -> host.prover().reason().isPresent());
            next.alterSystem("SET default_transaction_read_only = on");
            await().atMost(PATIENCE).until(() -> host.state().filter(ServerState::readOnly).isPresent());
            next.alterSystem("RESET synchronous_standby_names");
            await().atMost(PATIENCE).until(() -> host.prover().reason().isEmpty());
            next.alterSystem("SET synchronous_standby_names = 'nobody'");
            next.kill();
            next.start();
            next.alterSystem("RESET default_transaction_read_only");
            await().atMost(PATIENCE).until(() -> host.prover().reason().isPresent());
            assertThat(finding).isNotDone();
            next.alterSystem("RESET synchronous_standby_names");
            assertThat(finding).succeedsWithin(PATIENCE);
        } finally {
            next.alterSystem("RESET default_transaction_read_only");
            next.alterSystem("RESET synchronous_standby_names");
            hosts.forEach(PostgresHost::close);
        }
    }

    @Test
    void readsStandbyOfLaterTimelineInsteadOfOldPrimary() {
        assertThatThrownBy(() -> Postgres.forService(address(old.host(), standby.host()), SchemaPolicy.AUTO, 1, SHORT,
                new AtomicBoolean())).isInstanceOf(CommandFailure.class).hasMessageContaining(OLDER);
        try (SqlStore store = open(StoreAccess.READ, old.host(), standby.host())) {
            assertThatThrownBy(() -> AbstractCatalogueTest.added(store.catalogue(), REX))
                    .hasMessageContaining("read-only");
        }
        try (SqlStore store = open(StoreAccess.READ, standby.host(), next.host())) {
            assertThat(AbstractCatalogueTest.added(store.catalogue(), REX).id()).isPositive();
        }
    }

    /// Two connections prove that the server commits. Later ones lead to the old primary.
    @ParameterizedTest
    @CsvSource({"2, false", "3, false", "2, true"})
    void refusesServerThatWasNotProved(int connections, boolean serves) throws IOException {
        try (TcpProxy address = new TcpProxy(next.port(), Duration.ZERO)) {
            address.moveTo(old.port(), connections);
            usesNext(() -> serves ? service(address) : open(StoreAccess.CREATE, host(address)), "waiting", () -> {
                await().atMost(PATIENCE).until(() -> old.connections() > 0);
                address.moveTo(next.port());
            });
        }
    }

    /// A command opens a connection to observe the server, one to prove that it commits, one for the schema and one for its statements;
    /// a start has its pool instead of the last one.
    @ParameterizedTest
    @CsvSource({"close, 0, false", "reset, 0, false", "silence, 0, false", "silence after login, 0, true",
            "close in TLS, 0, false", "57P01 going down, 0, true", "57P02 crashed, 0, false",
            "57P03 starting, 0, false",
            "53200 no memory, 0, false", "53300 full, 0, false", "08P01 cannot connect to server, 0, true",
            "08006 no server, 0, false", "close, 1, false", "reset, 2, false", "silence after login, 2, true",
            "close, 3, false", "reset, 3, true", "silence after login, 3, false", "silence, 3, true",
            "08P01 query_wait_timeout, 3, true"})
    void waitsOnEveryPath(SocketFault fault, int connections, boolean serves) throws IOException {
        try (TcpProxy address = new TcpProxy(next.port(), Duration.ZERO)) {
            address.fail(fault, connections);
            usesNext(() -> serves ? service(address) : open(StoreAccess.CREATE, refusing(), host(address)),
                    "waiting", () -> {
                        assertThat(PostgresInspection.of(address(host(address)))).singleElement()
                                .matches(PostgresInspection.Outcome::passing)
                                .matches(outcome -> connections > 0 || fault.text().equals("reset")
                                        || !log.with(outcome.problem()).isEmpty());
                        address.moveTo(next.port());
                    });
        }
    }

    /// A port that refuses connections is of a server that restarts, once that server has answered.
    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "3, false", "1, true", "2, true", "3, true"})
    void waitsForServerThatRestarts(int connections, boolean serves) throws IOException {
        try (TcpProxy address = new TcpProxy(next.port(), Duration.ZERO)) {
            address.refuseAfter(connections);
            usesNext(() -> serves ? service(address) : open(StoreAccess.CREATE, host(address)), "refused",
                    () -> address.moveTo(next.port()));
        }
    }

    /// It was starting, and ended meanwhile.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("try") // The port refuses before the test ends.
    void waitsForServerThatRefusesAfterItsError(boolean serves) throws IOException {
        try (TcpProxy address = new TcpProxy(next.port(), Duration.ZERO)) {
            address.fail(new SocketFault("57P03 starting"), 0);
            CompletableFuture<SqlStore> opening = CompletableFuture.supplyAsync(
                    () -> serves ? service(address) : open(StoreAccess.CREATE, host(address)),
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(PATIENCE).until(() -> !log.with("starting").isEmpty());
            address.close();
            // It is asked again meanwhile.
            await().during(PostgresSearch.PAUSE.multipliedBy(4)).until(() -> !opening.isDone());
            address.moveTo(next.port());
            opening.join().close();
        }
    }

    /// The upgrade is read before it is written again.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waitsIfOutcomeOfUpgradeIsUnknown(boolean forwards) throws IOException {
        upgradeWaits("the outcome of a COMMIT is unknown", new SocketFault("close"), forwards,
                "INSERT INTO schema_version (version) VALUES (" + Migrations.LATEST, "COMMIT");
    }

    /// Only the statements of an upgrade may take as long as they like, not those that come before it.
    @ParameterizedTest
    @ValueSource(strings = {"SHOW server_encoding", "pg_try_advisory_xact_lock", "lock_timeout = "})
    void waitsForServerThatIsSilentBeforeUpgrade(String statement) throws IOException {
        upgradeWaits("waiting", new SocketFault("silence"), false, statement);
    }

    /// Asserts that a command which creates a store waits with a line if connections fail after these statements.
    private void upgradeWaits(String line, SocketFault fault, boolean forwards, String... statements)
            throws IOException {
        next.query("CREATE DATABASE fresh");
        try (TcpProxy address = new TcpProxy(next.port(), Duration.ZERO)) {
            address.failAfter(fault, forwards, statements);
            PostgresUri fresh = PostgresUri.parse("postgresql://postgres@127.0.0.1:" + address.port() + "/fresh");
            CompletableFuture<Void> opening = CompletableFuture.runAsync(
                    () -> Postgres.forCommand(fresh, SchemaPolicy.AUTO, StoreAccess.CREATE).close(),
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(PATIENCE).until(() -> !log.with(line).isEmpty());
            address.moveTo(next.port());
            assertThat(opening).succeedsWithin(PATIENCE);
        } finally {
            next.query("DROP DATABASE fresh WITH (FORCE)");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            HTTP                                              | the port may be of another program
            28P01 wrong password                              | the password of --database or --to comes from
            28000 no such role                                | the password of --database or --to comes from
            3D000 no database                                 | make it with createdb
            08P01 no such database: x                         | make it with createdb
            08P01 password authentication failed for user "x" | the password of --database or --to comes from
            08P01 login rejected                              | the password of --database or --to comes from
            08P01 empty password returned by client           | the password of --database or --to comes from
            08P01 no username supplied                        | the password of --database or --to comes from
            08P01 no such user: x                             | the password of --database or --to comes from""")
    void endsAtOnce(SocketFault fault, String reason) throws IOException {
        try (TcpProxy address = new TcpProxy(next.port(), Duration.ZERO)) {
            address.fail(fault, 0);
            endsAtOnce(reason, host(address));
        }
    }

    @Test
    void endsAtOnceIfEveryHostRefuses() throws IOException {
        endsAtOnce("refused", refusing());
        endsAtOnce("refused", refusing(), refusing());
    }

    private void endsAtOnce(String reason, String... hosts) {
        assertThatThrownBy(() -> open(StoreAccess.READ, hosts)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> Postgres.forService(address(hosts), SchemaPolicy.AUTO, 1, PATIENCE,
                new AtomicBoolean())).isInstanceOf(CommandFailure.class).hasMessageContaining(reason);
        assertThat(log.with("waiting")).isEmpty();
        assertThat(PostgresInspection.of(address(hosts))).allMatch(host -> !host.passing())
                .allSatisfy(host -> assertThat(host.problem()).contains(reason));
    }

    /// Returns the address of a port that refuses connections.
    private static String refusing() {
        return "127.0.0.1:" + FreePort.find();
    }

    /// Asserts that an opening waits for a log line, and uses the server of the later timeline after an event.
    private void usesNext(Supplier<SqlStore> open, String line, Runnable event) {
        List<String> before = next.query("SELECT count(*) FROM pet");
        CompletableFuture<SqlStore> opening = CompletableFuture.supplyAsync(open,
                task -> Thread.ofPlatform().daemon().start(task));
        await().atMost(PATIENCE).until(() -> !log.with(line).isEmpty());
        assertThat(opening).isNotDone();
        event.run();
        try (SqlStore store = opening.join()) {
            AbstractCatalogueTest.added(store.catalogue(), REX);
        }
        assertThat(log.with("waiting for the database: ")).hasSize(1).allMatch(text -> text.contains("127.0.0.1:"));
        assertThat(log.with("the database can be used after ")).hasSize(1);
        assertThat(next.query("SELECT count(*) FROM pet")).isNotEqualTo(before);
    }

    private static String host(TcpProxy address) {
        return "127.0.0.1:" + address.port();
    }

    private static SqlStore service(TcpProxy address) {
        return new SqlStore(Postgres.forService(address(host(address)), SchemaPolicy.AUTO, 1, PATIENCE,
                new AtomicBoolean()), new SimpleMeterRegistry());
    }

    private static SqlStore command(PlainPostgres... servers) {
        return open(StoreAccess.CREATE, List.of(servers).stream().map(PlainPostgres::host).toArray(String[]::new));
    }

    private static SqlStore open(StoreAccess access, String... hosts) {
        return SqlStore.of(Postgres.forCommand(address(hosts), SchemaPolicy.AUTO, access));
    }

    private static PostgresUri address(String... hosts) {
        return PostgresUri.parse("postgresql://clerk@" + String.join(",", hosts) + "/postgres");
    }
}
