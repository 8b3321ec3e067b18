package petstore.blackbox;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.ApiClient;
import petstore.testkit.AtOnce;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Clients that take their time: each deadline ends the connections that overstep it, and no others. All of them come at once.
///
/// One deadline of each service is short, so that it is clear which one was reached on a slow machine too.
class SlowClientsTest {

    /// The deadlines, and a service of which that one is short.
    private enum Limit {
        IDLE, HEADER, REQUEST;

        private TestService start(Path folder) {
            return TestService.start(folder.resolve(name()), new Deadlines(of(IDLE), of(HEADER), of(REQUEST)), 1_000);
        }

        private Duration of(Limit limit) {
            return limit == this ? SHORT : LONG;
        }
    }

    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(60);
    /// The greatest delay of a deadline on a busy machine.
    private static final Duration SLACK = Duration.ofSeconds(10);
    /// Less than a client would wait if a slow one kept the service from answering it.
    private static final Duration PROMPTLY = Duration.ofSeconds(2);
    private static final Duration BETWEEN_DRIPS = Duration.ofMillis(50);

    private static final String GOOD = "GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\n\r\n";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\nContent-Type: application/json\r\n";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    /// The behaviour of a slow client.
    ///
    /// @param onNew what it oversteps on a new connection, from its first byte or from connecting
    /// @param onKept the same on a connection that has had one good request
    /// @param start what it sends at once
    /// @param drip what it sends again and again from then on; empty for nothing
    private record Slow(String name, Limit onNew, Limit onKept, String start, String drip) {
    }

    private static final List<Slow> TABLE = List.of(
            new Slow("silence", Limit.HEADER, Limit.IDLE, "", ""),
            new Slow("dripped empty lines", Limit.HEADER, Limit.HEADER, "", "\r\n"),
            new Slow("half a request line", Limit.HEADER, Limit.HEADER, "GET /v1/pe", ""),
            new Slow("a dripped request line", Limit.HEADER, Limit.HEADER, "GET /v1/pets?x=", "x"),
            new Slow("half a header block", Limit.HEADER, Limit.HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n", ""),
            new Slow("a dripped field", Limit.HEADER, Limit.HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ", "x"),
            new Slow("dripped fields", Limit.HEADER, Limit.HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n", "X: x\r\n"),
            new Slow("no body", Limit.REQUEST, Limit.REQUEST, POST + "Content-Length: 36\r\n\r\n", ""),
            new Slow("no body after 100 Continue", Limit.REQUEST, Limit.REQUEST,
                    POST + "Expect: 100-continue\r\nContent-Length: 36\r\n\r\n", ""),
            new Slow("half a body", Limit.REQUEST, Limit.REQUEST, POST + "Content-Length: 36\r\n\r\n{\"name\":", ""),
            new Slow("half a chunk", Limit.REQUEST, Limit.REQUEST,
                    POST + "Transfer-Encoding: chunked\r\n\r\n24\r\n{\"name\":", ""),
            new Slow("a dripped body", Limit.REQUEST, Limit.REQUEST, POST + "Content-Length: 60000\r\n\r\n", " "),
            new Slow("dripped chunks", Limit.REQUEST, Limit.REQUEST, POST + "Transfer-Encoding: chunked\r\n\r\n",
                    "1\r\n \r\n"),
            new Slow("dripped trailers", Limit.REQUEST, Limit.REQUEST, POST + "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                    "X: x\r\n"),
            new Slow("half of a body that is too long", Limit.REQUEST, Limit.REQUEST,
                    POST + "Content-Length: 70000\r\n\r\n{", ""),
            new Slow("a dripped body without a key", Limit.REQUEST, Limit.REQUEST,
                    "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", " "),
            new Slow("a dripped body of a GET", Limit.REQUEST, Limit.REQUEST,
                    GOOD.replace("\r\n\r\n", "\r\nContent-Length: 60000\r\n\r\n"), " "));

    /// A client that is slow, but within the deadline of each step.
    @FunctionalInterface
    private interface Patient {
        void talk(RawClient client) throws IOException;
    }

    private static final Duration PATIENT_LIMIT = Duration.ofSeconds(4);
    private static final Map<String, Patient> IN_TIME = Map.of(
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
            "a header block and a body that together are too slow for either", client -> {
                sendInPieces(client, Duration.ofMillis(2_200), POST, "Content-Length: 34\r\n\r\n", PET);
                assertThat(client.response().orElseThrow().status()).isEqualTo(201);
            },
            "requests with long pauses between them", client -> {
                for (int i = 0; i < 3; i++) {
                    assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
                    assertThat(client.isSilentFor(Duration.ofMillis(1_600))).isTrue();
                }
            },
            "a pause and a header block that together are too slow for either", client -> {
                assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
                sendInPieces(client, Duration.ofMillis(2_200), "", GOOD.substring(0, 30), GOOD.substring(30));
                assertThat(client.response().orElseThrow().status()).isEqualTo(200);
            });

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> everybodyAtOnce() throws InterruptedException {
        try (TestService idle = Limit.IDLE.start(folder);
                TestService header = Limit.HEADER.start(folder);
                TestService request = Limit.REQUEST.start(folder);
                TestService patient = TestService.start(folder,
                        new Deadlines(PATIENT_LIMIT, PATIENT_LIMIT, PATIENT_LIMIT), 1_000)) {
            Function<Limit, TestService> services = limit -> switch (limit) {
                case IDLE -> idle;
                case HEADER -> header;
                case REQUEST -> request;
            };
            AtOnce clients = new AtOnce();
            CountDownLatch slowOnes = new CountDownLatch(2 * TABLE.size());
            for (Slow slow : TABLE) {
                int portForNew = services.apply(slow.onNew()).port();
                int portForKept = services.apply(slow.onKept()).port();
                clients.add("closes a new connection for " + slow.name(),
                        counted(slowOnes, () -> closesNew(portForNew, slow)));
                clients.add("closes a kept connection for " + slow.name(),
                        counted(slowOnes, () -> closesKept(portForKept, slow)));
            }
            for (Limit limit : Limit.values()) {
                ApiClient other = services.apply(limit).client();
                response(other);
                clients.add("answers others promptly: " + limit, () -> answersPromptly(other, slowOnes));
            }
            IN_TIME.forEach((name, talk) -> clients.add("keeps a connection with " + name, () -> {
                try (RawClient client = new RawClient(patient.port())) {
                    talk.talk(client);
                }
            }));
            return clients.run();
        }
    }

    private static AtOnce.Client counted(CountDownLatch done, AtOnce.Client client) {
        return () -> {
            try {
                client.talk();
            } finally {
                done.countDown();
            }
        };
    }

    private static void closesNew(int port, Slow slow) throws IOException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(port)) {
            client.send(slow.start());
            dripUntilClosed(client, slow.drip());
        }
        assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
    }

    private static void closesKept(int port, Slow slow) throws IOException {
        try (RawClient client = new RawClient(port)) {
            long start = System.nanoTime();
            assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
            if (slow.onKept() != Limit.IDLE) {
                start = System.nanoTime();
            }
            client.send(slow.start());
            dripUntilClosed(client, slow.drip());
            assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
        }
    }

    private static void answersPromptly(ApiClient client, CountDownLatch slowOnes) throws InterruptedException {
        List<Duration> latencies = new ArrayList<>();
        while (!slowOnes.await(20, TimeUnit.MILLISECONDS)) {
            long start = System.nanoTime();
            response(client);
            latencies.add(since(start));
        }
        assertThat(latencies).isNotEmpty().allSatisfy(latency -> assertThat(latency).isLessThan(PROMPTLY));
    }

    private static void response(ApiClient client) {
        assertThat(client.get("/v1/pets?limit=5").statusCode()).isEqualTo(200);
        assertThat(client.post(PET).statusCode()).isEqualTo(201);
    }

    private static void dripUntilClosed(RawClient client, String drip) throws IOException {
        if (drip.isEmpty()) {
            assertThat(client.isClosedByServer()).isTrue();
            return;
        }
        client.socket().setSoTimeout((int) BETWEEN_DRIPS.toMillis());
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
            // Closed as well: the last drip came too late.
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
