package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.store.postgres.Postgres;
import petstore.store.sqlite.FolderLock;
import petstore.testkit.ApiClient;
import petstore.testkit.Disk;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PlainPostgres;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

/// The service under limits of processes and of open files. It works, or its start fails at once with a message that names the limit.
class LimitsIT {

    private static final int FIRST_USER = 61_000;
    private static final int ANOTHER_USER = 60_999;
    private static final String KEY = "a-key-for-the-test-of-limits";
    /// Longer than the service trusts a commit, so that it leaves its database.
    private static final Duration SHORTAGE = Duration.ofSeconds(6);
    /// Leaves the processors to other tests.
    private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(20);
    private static final Duration RECOVERY = Duration.ofSeconds(10);
    private static final Duration POOL_FILLS = Duration.ofSeconds(2);
    private static final int READERS = 2;
    private static final int MOST_CONNECTIONS = READERS + Postgres.FURTHER_CONNECTIONS;
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    private static final List<String> PATHS = List.of("/v1/pets", "/readyz", "/docs", "/openapi.json", "/livez");

    /// The outage of a database.
    enum Outage {
        RESTART, FREEZE, NO_STANDBY
    }

    @TempDir
    private Path folder;

    /// The limit does not apply to root. Each value has its own user, because processes of an earlier value may still count.
    @ParameterizedTest
    @ValueSource(ints = {14, 24, 32, 40, 64})
    void worksOrNamesProcessLimit(int limit) throws IOException {
        List<String> starter = new ArrayList<>(asUser(FIRST_USER + limit));
        starter.addAll(List.of("prlimit", "--nproc=" + limit));
        assertWorksOrNames("limit of processes", starter);
    }

    /// Other programs of the user can reach the limit while the service runs. Its responses then name the limit. When the limit is
    /// raised, the service works again.
    @Test
    void refusesRequestsWhileProcessLimitIsReached() throws IOException {
        List<String> user = asUser(ANOTHER_USER);
        try (PetstoreProcess server = PetstoreProcess.serveThrough(user, folder.resolve("data")).awaitReady()) {
            PetstoreProcess.execute(user, "prlimit", "--nproc=1:", "--pid", String.valueOf(server.pid()));
            ApiClient client = server.client(server.firstKey().orElseThrow());
            for (String path : PATHS) {
                assertThat(client.get(path).statusCode()).as(path).isIn(200, 503);
            }
            assertThat(client.post(PET).body()).contains("limit of processes");
            PetstoreProcess.execute(user, "prlimit", "--nproc=1000:", "--pid", String.valueOf(server.pid()));
            assertWorksAndStops(server);
        }
    }

    /// The watch of the database and the pool need threads, for connections and for the time limit of a commit.
    @ParameterizedTest
    @EnumSource
    void usesDatabaseAgainAfterProcessLimitWasReached(Outage outage)
            throws IOException, InterruptedException {
        List<String> user = asUser(ANOTHER_USER - 1 - List.of(Outage.values()).indexOf(outage));
        try (PlainPostgres database = new PlainPostgres(folder.resolve("postgresql"));
                PetstoreProcess server = PetstoreProcess
                        .serveDatabaseThrough(user, Map.of("PETSTORE_API_KEY", KEY), database.url(),
                                "--database-readers", String.valueOf(READERS))
                        .awaitReady()) {
            ApiClient client = server.client(KEY);
            assertThat(client.post(PET).statusCode()).isEqualTo(201);
            PetstoreProcess.execute(user, "prlimit", "--nproc=1:", "--pid", String.valueOf(server.pid()));
            switch (outage) {
                case RESTART -> {
                    database.stop();
                    database.start();
                }
                case FREEZE -> database.freeze();
                case NO_STANDBY -> database.alterSystem("SET synchronous_standby_names = 'nobody'");
            }
            Instant end = Instant.now().plus(SHORTAGE);
            while (Instant.now().isBefore(end)) {
                assertThat(client.post(PET).statusCode()).isIn(201, 503);
                assertThat(new ApiClient(server.adminPort(), "").get("/livez").statusCode()).isEqualTo(200);
                Thread.sleep(BETWEEN_REQUESTS);
            }
            switch (outage) {
                case RESTART -> {
                }
                case FREEZE -> database.thaw();
                case NO_STANDBY -> database.alterSystem("RESET synchronous_standby_names");
            }
            PetstoreProcess.execute(user, "prlimit", "--nproc=1000:", "--pid", String.valueOf(server.pid()));
            await().atMost(RECOVERY).until(() -> client.post(PET).statusCode() == 201);
            await("no connection is left over").atMost(RECOVERY).during(POOL_FILLS)
                    .untilAsserted(() -> assertThat(database.connections()).isLessThanOrEqualTo(MOST_CONNECTIONS));
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
    }

    /// Must not need a new thread to try a write again. Needs one to end the process.
    @Test
    void becomesReadyAgainAndStopsAfterFailedSyncDespiteProcessLimit() throws IOException {
        List<String> user = asUser(ANOTHER_USER - Outage.values().length - 1);
        Disk disk = Disk.in(folder.resolve("disk"))
                .orElseGet(() -> abort("simulated disk failures need Linux and cc"));
        Files.setPosixFilePermissions(folder.resolve("disk"), PosixFilePermissions.fromString("rwxrwxrwx"));
        List<String> starter = new ArrayList<>(user);
        starter.add("env");
        disk.environment().forEach((name, value) -> starter.add(name + "=" + value));
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = PetstoreProcess.serveThrough(starter, folder.resolve("data")).awaitReady()) {
            String key = server.firstKey().orElseThrow();
            ApiClient admin = new ApiClient(server.adminPort(), "");
            assertThat(admin.get("/readyz").statusCode()).isEqualTo(200);
            AtomicInteger added = new AtomicInteger();
            try (Load _ = new Load(16, server.port(), key, ledger, added::incrementAndGet)) {
                await().atMost(RECOVERY).until(() -> added.get() > 100);
                PetstoreProcess.execute(user, "prlimit", "--nproc=1:", "--pid", String.valueOf(server.pid()));
                disk.fail(Disk.Call.DATABASE_WRITE);
                await().atMost(RECOVERY.multipliedBy(3)).until(() -> admin.get("/readyz").statusCode() == 503);
            }
            assertThat(ledger.refused()).as("the log has the animals").isZero();
            disk.heal(Disk.Call.DATABASE_WRITE);
            await().atMost(RECOVERY).until(() -> admin.get("/readyz").statusCode() == 200);
            await("the log is written by a thread of its own").atMost(RECOVERY).untilAsserted(
                    () -> assertThat(server.err()).filteredOn(line -> line.contains("the store can")).satisfiesExactly(
                            line -> assertThat(line).contains("cannot be written", "disk I/O"),
                            line -> assertThat(line).contains("can be written again")));
            disk.fail(Disk.Call.FSYNC);
            try (Load load = new Load(1, server.port(), key, ledger, () -> {
            })) {
                server.ending();
                load.awaitEnd();
            }
            assertThat(server.ending().code()).isEqualTo(1);
            assertThat(server.ending().err()).last().asString().contains("disk", "SQLITE_IOERR_FSYNC");
        }
    }

    /// Returns the command prefix that runs a command as another user. Skips the test if this is not possible.
    private List<String> asUser(int user) throws IOException {
        assumeThat(Tools.isInstalled("prlimit")).as("prlimit is installed").isTrue();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        return Tools.asUser(user);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 75, 100, 150, 200})
    void worksOrNamesOpenFileLimit(int limit) {
        assumeThat(Tools.isInstalled("prlimit")).as("prlimit is installed").isTrue();
        assertWorksOrNames("limit of open files", List.of("prlimit", "--nofile=" + limit));
    }

    private void assertWorksOrNames(String limit, List<String> starter) {
        Path data = folder.resolve("data");
        try (PetstoreProcess server = PetstoreProcess.serveThrough(starter, data)) {
            if (server.readyOrEnded()) {
                assertWorksAndStops(server);
            } else {
                assertThat(server.ending().code()).isEqualTo(1);
                assertThat(server.out()).isEmpty();
                assertThat(server.err()).singleElement().asString().startsWith("petstore: ").contains(limit, "raise");
            }
        }
        FolderLock.serve(data).close();
    }

    private static void assertWorksAndStops(PetstoreProcess server) {
        ApiClient client = server.client(server.firstKey().orElseThrow());
        for (String path : PATHS) {
            assertThat(client.get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(client.post(PET).statusCode()).isEqualTo(201);
        server.terminate();
        assertThat(server.ending().code()).isZero();
    }
}
