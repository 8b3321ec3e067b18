package petstore.process;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;
import petstore.testkit.Disk;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.RawClient;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The service and the import, stopped by SIGTERM, SIGINT or SIGHUP.
class StopIT {

    private static final String KEY = "a-key-for-the-test-that-stops";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    /// The head of a request for [#PET].
    private static final String HEAD = "POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + KEY
            + "\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " + PET.length()
            + "\r\n\r\n";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

    @TempDir
    private Path folder;

    @Test
    void respondsToPartlyReadRequest() throws IOException {
        try (PetstoreProcess server = serve(); RawClient client = new RawClient(server.port())) {
            client.send(HEAD);
            assertThat(client.response().orElseThrow().status()).isEqualTo(100);
            server.terminate();
            awaitRefusal(server.port());
            client.send(PET.getBytes(StandardCharsets.UTF_8));
            assertIsLastResponse(client.response().orElseThrow());
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.ending().code()).isZero();
        }
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.pets()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void respondsToRequestWaitingForStoreUnlessSecondSignalComes(boolean comes) throws IOException {
        try (PetstoreProcess server = serve();
                RawClient client = new RawClient(server.port());
                StoreFile file = new StoreFile(folder)) {
            file.execute("BEGIN IMMEDIATE");
            client.send(HEAD + PET);
            assertThat(client.response().orElseThrow().status()).isEqualTo(100);
            server.terminate();
            awaitRefusal(server.port());
            if (comes) {
                assertThat(server.isAlive()).isTrue();
                server.terminate();
                assertThat(server.ending().code()).isEqualTo(143);
                assertThat(client.isClosedByServer()).isTrue();
                file.execute("ROLLBACK");
            } else {
                file.execute("COMMIT");
                assertIsLastResponse(client.response().orElseThrow());
                assertThat(server.ending().code()).isZero();
            }
            assertThat(file.pets()).hasSize(comes ? 0 : 1);
        }
    }

    private static void assertIsLastResponse(RawClient.Response response) {
        assertThat(response.status()).isEqualTo(201);
        assertThat(response.headers().get("connection")).containsExactly("close");
    }

    @Test
    void stopsWithoutWaitingForIdleConnections() throws IOException {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_JAVA_OPTIONS",
                "-Djava.io.tmpdir=" + temporary);
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady();
                RawClient idle = new RawClient(server.port())) {
            assertThat(temporary).as("temporary files, which a kill would leave behind").isEmptyDirectory();
            idle.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(idle.response().orElseThrow().status()).isEqualTo(200);
            Instant signalTime = Instant.now();
            server.terminate();
            assertThat(server.ending().code()).isZero();
            assertThat(Duration.between(signalTime, Instant.now())).isLessThan(Duration.ofSeconds(10));
        }
    }

    /// The folder's lock is the last part to be closed, and the first one to be opened.
    @Test
    void saysWhichPartDidNotStop() throws IOException {
        Optional<Disk> found = Disk.in(folder.resolve("disk"));
        assumeThat(found).as("needs Linux and a C compiler").isPresent();
        Disk disk = found.orElseThrow();
        try (PetstoreProcess server = PetstoreProcess.serve(disk.environment(), folder.resolve("data")).awaitReady()) {
            disk.fail(Disk.Call.CLOSE);
            server.terminate();
            assertThat(server.ending().code()).isEqualTo(1);
            assertThat(server.ending().err()).anyMatch(line -> line.contains("the service did not stop in order"))
                    .anyMatch(line -> line.contains("the lock of the store's folder cannot be released"));
        }
    }

    @Test
    void refusesNoRequestAndLosesNoAnimalUnderLoad() throws InterruptedException {
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = serve()) {
            CountDownLatch loaded = new CountDownLatch(200);
            try (Load load = new Load(64, server.port(), KEY, ledger, loaded::countDown)) {
                assertThat(loaded.await(30, TimeUnit.SECONDS)).isTrue();
                server.terminate();
                server.ending();
                load.awaitEnd();
            }
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.code()).isZero();
            assertThat(ending.err()).noneMatch(line -> line.contains(" ERROR "));
            assertThat(folder.resolve("petstore.db-wal")).as("the write-ahead log, which is moved into petstore.db")
                    .doesNotExist();
        }
        assertThat(ledger.refused()).isZero();
        try (PetstoreProcess server = serve(); StoreFile file = new StoreFile(folder)) {
            ledger.verify(file.pets());
            assertThat(server.client(KEY).post(PET).statusCode()).isEqualTo(201);
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, TERM, 143", "INT, TERM, 143", "TERM, INT, 130"})
    void stopsAtOnceOnSecondSignalDuringShutdownDelay(String first, String second, int code) throws IOException {
        try (PetstoreProcess server = serve("--shutdown-delay", "50s")) {
            server.signal(first);
            awaitNotReady(server);
            assertThat(server.isAlive()).isTrue();
            Instant signalTime = Instant.now();
            server.signal(second);
            assertThat(server.ending().code()).isEqualTo(code);
            assertThat(Duration.between(signalTime, Instant.now())).isLessThan(Duration.ofSeconds(10));
        }
    }

    /// The service already serves when it cannot add the first key to the locked store.
    @Test
    void skipsShutdownDelayIfStartFails() {
        CommandLines.run(folder, "import", "examples/animals.ndjson");
        try (StoreFile store = new StoreFile(folder)) {
            store.execute("BEGIN IMMEDIATE");
            try (PetstoreProcess server = PetstoreProcess.serve(folder, "--shutdown-delay", "5m")) {
                PetstoreProcess.Ending ending = server.ending();
                assertThat(ending.code()).isEqualTo(1);
                assertThat(ending.err()).last().asString().startsWith("petstore: ");
            }
        }
    }

    /// The first key is created at the end of the start, and the operator must see it.
    @Test
    void finishesStartOnceStoreIsOpen() {
        CommandLines.run(folder, "import", "examples/animals.ndjson");
        try (StoreFile store = new StoreFile(folder)) {
            store.execute("BEGIN IMMEDIATE");
            try (PetstoreProcess server = PetstoreProcess.serve(folder)) {
                await().atMost(PATIENCE).pollInterval(POLL_INTERVAL).until(() -> Files
                        .readString(folder.resolve("petstore.lock")).contains("\n" + server.pid() + " "));
                server.terminate();
                store.execute("COMMIT");
                assertThat(server.ending().code()).isZero();
                assertThat(server.firstKey()).isPresent();
                assertThat(store.text("SELECT name FROM api_key")).containsExactly("first");
            }
        }
    }

    /// The database accepts the connection and sends nothing.
    @Test
    void stopsAtOnceWhileConnectingToDatabase() throws IOException {
        try (ServerSocket database = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of(),
                        "postgresql://127.0.0.1:" + database.getLocalPort() + "/petstore")) {
            database.setSoTimeout((int) PATIENCE.toMillis());
            try (Socket _ = database.accept()) {
                Instant signalTime = Instant.now();
                server.signal("INT");
                assertThat(server.ending()).isEqualTo(new PetstoreProcess.Ending(130, List.of(), List.of()));
                assertThat(Duration.between(signalTime, Instant.now())).isLessThan(Duration.ofSeconds(10));
            }
        }
    }

    /// From the begin of the delay, the service asks for further connections. At its end, a new one still gets its first response.
    @Test
    void leavesNoRequestWithoutResponseAfterShutdownDelay() throws InterruptedException {
        AtomicInteger sent = new AtomicInteger();
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        try (PetstoreProcess server = serve("--shutdown-delay", "1s");
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                int pauseMs = List.of(2, 20, 200).get(i % 3);
                clients.execute(() -> addUntilRefused(server.port(), pauseMs, sent, lost));
            }
            await().atMost(PATIENCE).until(() -> sent.get() > 500);
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
        assertThat(lost).isEmpty();
    }

    /// Sends each request on the connection of the last, until a response closes it. Only a request without a response is lost.
    private static void addUntilRefused(int port, int pauseMs, AtomicInteger sent, Queue<String> lost) {
        while (true) {
            try (RawClient client = new RawClient(port)) {
                Optional<RawClient.Response> response;
                do {
                    TimeUnit.MILLISECONDS.sleep(pauseMs);
                    response = client.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n"
                            + PET)
                            .response();
                    sent.incrementAndGet();
                    if (response.filter(one -> one.status() == 201).isEmpty()) {
                        lost.add(String.valueOf(response));
                        return;
                    }
                } while (!response.orElseThrow().headers().containsKey("connection"));
            } catch (ConnectException e) {
                return;
            } catch (Exception | Error e) {
                lost.add(String.valueOf(e));
                return;
            }
        }
    }

    /// Every second, the service reads the keys again and saves their last use. Here it waits for the locked store.
    @Test
    void logsNoStackTraceIfStoppedWhileReadingKeys() throws InterruptedException {
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady();
                StoreFile file = new StoreFile(folder)) {
            file.execute("BEGIN IMMEDIATE");
            assertThat(server.client(server.firstKey().orElseThrow()).get("/v1/pets").statusCode()).isEqualTo(200);
            TimeUnit.SECONDS.sleep(2);
            server.terminate();
            awaitRefusal(server.port());
            file.execute("COMMIT");
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.err()).as("a stack trace").noneMatch(line -> line.contains("Exception"));
            assertThat(ending.code()).isZero();
        }
    }

    /// The race is a matter of microseconds, so one run would often miss it.
    @RepeatedTest(4)
    void logsNoStackTraceIfClientsConnectWhileStopping() throws InterruptedException {
        try (PetstoreProcess server = serve(); ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch connected = new CountDownLatch(1_000);
            for (int i = 0; i < 16; i++) {
                clients.execute(() -> {
                    while (connects(server.port())) {
                        connected.countDown();
                    }
                });
            }
            assertThat(connected.await(30, TimeUnit.SECONDS)).isTrue();
            server.terminate();
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.err()).as("a stack trace").noneMatch(line -> line.contains("Exception"));
            assertThat(ending.code()).isZero();
        }
    }

    /// While a server runs, the import adds small groups with pauses. So the signal arrives before the import ends. Processes of nohup
    /// ignore SIGHUP.
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void importFinishesGroupAndReportsAddedAnimals(String signal) throws IOException {
        Path animals = Files.writeString(folder.resolve("animals.ndjson"), (PET + "\n").repeat(200_000));
        try (PetstoreProcess _ = serve();
                StoreFile store = new StoreFile(folder);
                PetstoreProcess running = PetstoreProcess.startThrough(List.of("env", "--default-signal=" + signal),
                        Map.of(), "import", animals.toString(), "--data", folder.toString())) {
            await().atMost(PATIENCE).pollInterval(POLL_INTERVAL).until(() -> count(store) > 0);
            running.signal(signal);
            PetstoreProcess.Ending ending = running.ending();
            assertThat(ending.code()).isEqualTo(Map.of("TERM", 143, "INT", 130, "HUP", 129).get(signal));
            assertThat(ending.err()).containsExactly(
                    "petstore: the import was interrupted after line " + count(store) + "; " + count(store)
                            + " animals stay");
        }
    }

    /// The current group waits for the locked store. Signals are sent repeatedly, because two of them may be delivered as one.
    @Test
    void importStopsAtOnceOnSecondSignal() throws IOException {
        Path animals = Files.writeString(folder.resolve("animals.ndjson"), (PET + "\n").repeat(200_000));
        try (PetstoreProcess _ = serve();
                StoreFile store = new StoreFile(folder);
                PetstoreProcess running = PetstoreProcess.start(Map.of(), "import", animals.toString(), "--data",
                        folder.toString())) {
            await().atMost(PATIENCE).pollInterval(POLL_INTERVAL).until(() -> count(store) > 0);
            await().atMost(PATIENCE).untilAsserted(() -> store.execute("BEGIN IMMEDIATE"));
            await().atMost(PATIENCE).pollInterval(POLL_INTERVAL).until(() -> {
                running.terminate();
                return !running.isAlive();
            });
            store.execute("ROLLBACK");
            PetstoreProcess.Ending ending = running.ending();
            assertThat(ending.code()).isEqualTo(143);
            assertThat(ending.err()).isEmpty();
            assertThat(store.integrity()).isEqualTo("ok");
            assertThat(count(store) % 1_000).as("animals of an incomplete group").isZero();
        }
    }

    private static long count(StoreFile store) {
        return Long.parseLong(store.text("SELECT count(*) FROM pet").getFirst());
    }

    private static void awaitNotReady(PetstoreProcess server) {
        await().atMost(PATIENCE).pollInterval(POLL_INTERVAL)
                .until(() -> server.client(KEY).get("/readyz").statusCode() == 503);
    }

    private PetstoreProcess serve(String... options) {
        return PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder, options).awaitReady();
    }

    /// Waits until the port refuses connections.
    private static void awaitRefusal(int port) {
        await().atMost(PATIENCE).pollInterval(POLL_INTERVAL).until(() -> !connects(port));
    }

    private static boolean connects(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
