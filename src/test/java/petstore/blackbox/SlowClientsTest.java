package petstore.blackbox;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.ApiClient;
import petstore.testkit.ConcurrentClients;
import petstore.testkit.RawClient;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static petstore.testkit.RawHttp2Client.LIVEZ;

/// Deadlines for slow clients. The service closes a connection that misses a deadline, and no other. All clients run at the same time.
///
/// Each service has only one short deadline. So it is clear which deadline was reached, even on a slow machine.
class SlowClientsTest {

    /// A deadline of the server. [#start] starts a service on which only this deadline is short.
    private enum Deadline {
        IDLE, HEADER, REQUEST;

        private TestService start(Path folder) {
            return TestService.start(folder.resolve(name()), new Deadlines(of(IDLE), of(HEADER), of(REQUEST)), 1_000);
        }

        private Duration of(Deadline deadline) {
            return deadline == this ? SHORT : LONG;
        }
    }

    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(60);
    /// The greatest delay of a deadline on a busy machine.
    private static final Duration SLACK = Duration.ofSeconds(10);
    /// Less than the latency of a response that has to wait for a slow client.
    private static final Duration MAX_LATENCY = Duration.ofSeconds(2);
    private static final Duration DRIP_INTERVAL = Duration.ofMillis(50);

    private static final String GOOD = "GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\n\r\n";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\nContent-Type: application/json\r\n";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    /// The behaviour of a slow client.
    ///
    /// @param onNew the deadline that it misses on a new connection, counted from the connect or from the first byte
    /// @param onReused the deadline that it misses on a connection that has had a successful request
    /// @param start the bytes that it sends first
    /// @param drip the bytes that it then sends repeatedly; empty for nothing
    private record SlowClient(String name, Deadline onNew, Deadline onReused, String start, String drip) {
    }

    private static final List<SlowClient> SLOW_CLIENTS = List.of(
            new SlowClient("silence", Deadline.HEADER, Deadline.IDLE, "", ""),
            new SlowClient("dripped empty lines", Deadline.HEADER, Deadline.HEADER, "", "\r\n"),
            new SlowClient("half a request line", Deadline.HEADER, Deadline.HEADER, "GET /v1/pe", ""),
            new SlowClient("a dripped request line", Deadline.HEADER, Deadline.HEADER, "GET /v1/pets?x=", "x"),
            new SlowClient("half a header block", Deadline.HEADER, Deadline.HEADER,
                    "GET /v1/pets HTTP/1.1\r\nHost: x\r\n", ""),
            new SlowClient("a dripped field", Deadline.HEADER, Deadline.HEADER,
                    "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ", "x"),
            new SlowClient("dripped fields", Deadline.HEADER, Deadline.HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n",
                    "X: x\r\n"),
            new SlowClient("no body", Deadline.REQUEST, Deadline.REQUEST, POST + "Content-Length: 36\r\n\r\n", ""),
            new SlowClient("no body after 100 Continue", Deadline.REQUEST, Deadline.REQUEST,
                    POST + "Expect: 100-continue\r\nContent-Length: 36\r\n\r\n", ""),
            new SlowClient("half a body", Deadline.REQUEST, Deadline.REQUEST,
                    POST + "Content-Length: 36\r\n\r\n{\"name\":", ""),
            new SlowClient("half a chunk", Deadline.REQUEST, Deadline.REQUEST,
                    POST + "Transfer-Encoding: chunked\r\n\r\n24\r\n{\"name\":", ""),
            new SlowClient("a dripped body", Deadline.REQUEST, Deadline.REQUEST, POST + "Content-Length: 60000\r\n\r\n",
                    " "),
            new SlowClient("dripped chunks", Deadline.REQUEST, Deadline.REQUEST,
                    POST + "Transfer-Encoding: chunked\r\n\r\n",
                    "1\r\n \r\n"),
            new SlowClient("dripped trailers", Deadline.REQUEST, Deadline.REQUEST,
                    POST + "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                    "X: x\r\n"),
            new SlowClient("half a body that is too long", Deadline.REQUEST, Deadline.REQUEST,
                    POST + "Content-Length: 70000\r\n\r\n{", ""),
            new SlowClient("a dripped body without a key", Deadline.REQUEST, Deadline.REQUEST,
                    "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", " "),
            new SlowClient("a dripped body of a GET", Deadline.REQUEST, Deadline.REQUEST,
                    GOOD.replace("\r\n\r\n", "\r\nContent-Length: 60000\r\n\r\n"), " "));

    /// A slow client that meets the deadline of each step.
    @FunctionalInterface
    private interface PatientClient {
        void run(RawClient client) throws IOException;
    }

    @Test
    void endOfBodyAfterItsResponseBeginsNoHead(@TempDir Path folder) throws IOException {
        try (TestService service = Deadline.HEADER.start(folder); RawClient client = new RawClient(service.port())) {
            client.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 36\r\n\r\n");
            assertThat(client.response().orElseThrow().status()).isEqualTo(401);
            client.send("x".repeat(36));
            assertThat(client.isSilentFor(SHORT.multipliedBy(2))).isTrue();
            assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
        }
    }

    private static final Duration PATIENT_DEADLINE = Duration.ofSeconds(4);
    private static final Map<String, PatientClient> PATIENT_CLIENTS = Map.of(
            "a header block in three pieces", client -> {
                sendInPieces(client, Duration.ofMillis(900), GOOD.substring(0, 10), GOOD.substring(10, 40),
                        GOOD.substring(40));
                assertThat(client.response().orElseThrow().status()).isEqualTo(200);
            },
            "a body in three pieces", client -> {
                sendInPieces(client, Duration.ofMillis(900), POST + "Content-Length: 36\r\n\r\n",
                        "{\"name\":\"Whiskers\"",
                        ",\"categoryId\":7}  ");
                assertThat(client.response().orElseThrow().status()).isEqualTo(201);
            },
            "a header block and a body that together take longer than a deadline", client -> {
                sendInPieces(client, Duration.ofMillis(2_200), POST, "Content-Length: 34\r\n\r\n", PET);
                assertThat(client.response().orElseThrow().status()).isEqualTo(201);
            },
            "requests with long pauses between them", client -> {
                for (int i = 0; i < 3; i++) {
                    assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
                    assertThat(client.isSilentFor(Duration.ofMillis(1_600))).isTrue();
                }
            },
            "a pause and a header block that together take longer than a deadline", client -> {
                assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
                sendInPieces(client, Duration.ofMillis(2_200), "", GOOD.substring(0, 30), GOOD.substring(30));
                assertThat(client.response().orElseThrow().status()).isEqualTo(200);
            });

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> closesOnlyConnectionsThatMissDeadlines() throws InterruptedException {
        try (TestService idle = Deadline.IDLE.start(folder);
                TestService header = Deadline.HEADER.start(folder);
                TestService request = Deadline.REQUEST.start(folder);
                TestService patient = TestService.start(folder,
                        new Deadlines(PATIENT_DEADLINE, PATIENT_DEADLINE, PATIENT_DEADLINE), 1_000)) {
            Function<Deadline, TestService> services = deadline -> switch (deadline) {
                case IDLE -> idle;
                case HEADER -> header;
                case REQUEST -> request;
            };
            ConcurrentClients clients = new ConcurrentClients();
            CountDownLatch slowClients = new CountDownLatch(2 * SLOW_CLIENTS.size());
            for (SlowClient slowClient : SLOW_CLIENTS) {
                int portForNew = services.apply(slowClient.onNew()).port();
                int portForReused = services.apply(slowClient.onReused()).port();
                clients.add("closes a new connection with " + slowClient.name(),
                        countingDown(slowClients, () -> closesNewConnection(portForNew, slowClient)));
                clients.add("closes a reused connection with " + slowClient.name(),
                        countingDown(slowClients, () -> closesReusedConnection(portForReused, slowClient)));
            }
            for (Deadline deadline : Deadline.values()) {
                ApiClient other = services.apply(deadline).client();
                assertResponds(other);
                clients.add("responds to other clients promptly while this deadline is short: " + deadline,
                        () -> respondsPromptly(other, slowClients));
            }
            PATIENT_CLIENTS.forEach((name, requests) -> clients.add("keeps a connection with " + name, () -> {
                try (RawClient client = new RawClient(patient.port())) {
                    requests.run(client);
                }
            }));
            return clients.run();
        }
    }

    /// Of HTTP/2. Other frames begin no deadline.
    @Test
    void closesConnectionWithPartOfFurtherHead() throws IOException {
        try (TestService service = TestService.start(folder, Clock.systemUTC(), http -> http
                .tls(TestCertificate.ec256().write(folder)).deadlines(new Deadlines(LONG, SHORT, LONG)));
                RawHttp2Client idle = connect(service);
                RawHttp2Client slow = connect(service);
                RawHttp2Client dripping = connect(service)) {
            byte[] ping = RawHttp2Client.frame(RawHttp2Client.PING, 0, 0, new byte[8]);
            idle.send(List.of(Arrays.copyOf(ping, 12)));
            long start = System.nanoTime();
            slow.send(List.of(Arrays.copyOf(RawHttp2Client.head(3, true, LIVEZ), 12)));
            dripping.send(RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 3);
            await().pollInterval(DRIP_INTERVAL).atMost(SHORT.plus(SLACK)).until(() -> isClosed(dripping));
            assertThat(slow.await(RawHttp2Client.HEADERS)).isEmpty();
            assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
            idle.send(List.of(Arrays.copyOfRange(ping, 12, ping.length)));
            assertThat(idle.await(RawHttp2Client.PING)).isPresent();
            idle.request(3, true, LIVEZ);
            assertThat(idle.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
        }
    }

    /// Returns a client that has had a response.
    private static RawHttp2Client connect(TestService service) throws IOException {
        RawHttp2Client client = new RawHttp2Client(service.port()).begin().request(1, true, LIVEZ);
        assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
        return client;
    }

    /// Sends a further part of a head, which is empty.
    private static boolean isClosed(RawHttp2Client client) {
        try {
            client.send(RawHttp2Client.CONTINUATION, 0, 3);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static ConcurrentClients.Client countingDown(CountDownLatch done, ConcurrentClients.Client client) {
        return () -> {
            try {
                client.run();
            } finally {
                done.countDown();
            }
        };
    }

    private static void closesNewConnection(int port, SlowClient slowClient) throws IOException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(port)) {
            client.send(slowClient.start());
            dripUntilClosed(client, slowClient.drip());
        }
        assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
    }

    private static void closesReusedConnection(int port, SlowClient slowClient) throws IOException {
        try (RawClient client = new RawClient(port)) {
            long start = System.nanoTime();
            assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
            if (slowClient.onReused() != Deadline.IDLE) {
                start = System.nanoTime();
            }
            client.send(slowClient.start());
            dripUntilClosed(client, slowClient.drip());
            assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
        }
    }

    private static void respondsPromptly(ApiClient client, CountDownLatch slowClients) throws InterruptedException {
        List<Duration> latencies = new ArrayList<>();
        while (!slowClients.await(20, TimeUnit.MILLISECONDS)) {
            long start = System.nanoTime();
            assertResponds(client);
            latencies.add(since(start));
        }
        assertThat(latencies).isNotEmpty().allSatisfy(latency -> assertThat(latency).isLessThan(MAX_LATENCY));
    }

    private static void assertResponds(ApiClient client) {
        assertThat(client.get("/v1/pets?limit=5").statusCode()).isEqualTo(200);
        assertThat(client.post(PET).statusCode()).isEqualTo(201);
    }

    private static void dripUntilClosed(RawClient client, String drip) throws IOException {
        if (drip.isEmpty()) {
            // To a head alone. A request that is not complete gets no response.
            for (Optional<RawClient.Response> early = client.response(); early.isPresent(); early = client.response()) {
                assertThat(early.get().status()).isIn(100, 413);
            }
            return;
        }
        client.socket().setSoTimeout((int) DRIP_INTERVAL.toMillis());
        byte[] ignored = new byte[1_024];
        long start = System.nanoTime();
        try {
            while (since(start).compareTo(SHORT.plus(SLACK)) < 0) {
                try {
                    if (client.socket().getInputStream().read(ignored) < 0) {
                        return;
                    }
                } catch (SocketTimeoutException e) {
                    client.send(drip);
                }
            }
        } catch (SocketException e) {
            // The server closed the connection before the last drip.
        }
    }

    private static void sendInPieces(RawClient client, Duration pause, String... pieces) throws IOException {
        client.send(pieces[0]);
        for (int i = 1; i < pieces.length; i++) {
            assertThat(client.isSilentFor(pause)).isTrue();
            client.send(pieces[i]);
        }
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
