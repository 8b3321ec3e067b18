package petstore.app;

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
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.HttpSettings.Deadlines;

import static org.assertj.core.api.Assertions.assertThat;

/// Clients that take their time: each deadline ends the connections that overstep it, and no others. All of them come at once,
/// to one service.
class SlowClientsTest {

    private static final Duration HEADER = Duration.ofMillis(1_500);
    private static final Duration REQUEST = Duration.ofSeconds(3);
    private static final Duration IDLE = Duration.ofMillis(4_500);
    /// How much later than its deadline a connection may be closed. No more than what lies between two deadlines, so that it
    /// is clear which one has struck.
    private static final Duration SLACK = Duration.ofMillis(1_500);
    private static final Duration PROMPTLY = Duration.ofSeconds(1);
    private static final Duration BETWEEN_DRIPS = Duration.ofMillis(50);

    private static final String GOOD = "GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\n\r\n";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\nContent-Type: application/json\r\n";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    /// What a slow client does.
    ///
    /// @param onNew when a new connection is closed for it, from its first byte or from connecting
    /// @param onKept the same for a connection that has had one good request
    /// @param start what it sends at once
    /// @param drip what it sends again and again from then on; empty for nothing
    private record Slow(String name, Duration onNew, Duration onKept, String start, String drip) {
    }

    private static final List<Slow> TABLE = List.of(
            new Slow("silence", HEADER, IDLE, "", ""),
            new Slow("dripped empty lines", HEADER, HEADER, "", "\r\n"),
            new Slow("half a request line", HEADER, HEADER, "GET /v1/pe", ""),
            new Slow("a dripped request line", HEADER, HEADER, "GET /v1/pets?x=", "x"),
            new Slow("half a header block", HEADER, HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n", ""),
            new Slow("a dripped field", HEADER, HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ", "x"),
            new Slow("dripped fields", HEADER, HEADER, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n", "X: x\r\n"),
            new Slow("no body", REQUEST, REQUEST, POST + "Content-Length: 36\r\n\r\n", ""),
            new Slow("no body after 100 Continue", REQUEST, REQUEST,
                    POST + "Expect: 100-continue\r\nContent-Length: 36\r\n\r\n", ""),
            new Slow("half a body", REQUEST, REQUEST, POST + "Content-Length: 36\r\n\r\n{\"name\":", ""),
            new Slow("half a chunk", REQUEST, REQUEST, POST + "Transfer-Encoding: chunked\r\n\r\n24\r\n{\"name\":", ""),
            new Slow("a dripped body", REQUEST, REQUEST, POST + "Content-Length: 60000\r\n\r\n", " "),
            new Slow("dripped chunks", REQUEST, REQUEST, POST + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
            new Slow("dripped trailers", REQUEST, REQUEST, POST + "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                    "X: x\r\n"),
            new Slow("half of a body that is too long", REQUEST, REQUEST, POST + "Content-Length: 70000\r\n\r\n{", ""),
            new Slow("a dripped body without a key", REQUEST, REQUEST,
                    "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", " "),
            new Slow("a dripped body of a GET", REQUEST, REQUEST,
                    GOOD.replace("\r\n\r\n", "\r\nContent-Length: 60000\r\n\r\n"), " "));

    /// What a client does that takes its time, but not too much.
    @FunctionalInterface
    private interface Patient {
        void talk(RawClient client) throws IOException;
    }

    private static final Map<String, Patient> IN_TIME = Map.of(
            "a header block in three pieces", client -> {
                sendInPieces(client, Duration.ofMillis(400), "GET /v1/pe", "ts HTTP/1.1\r\nHost: x\r\nAuthorization:",
                        " Bearer " + TestService.KEY + "\r\n\r\n");
                assertThat(client.answer().orElseThrow().status()).isEqualTo(200);
            },
            "a body in three pieces", client -> {
                sendInPieces(client, Duration.ofMillis(900), POST + "Content-Length: 36\r\n\r\n",
                        "{\"name\":\"Whiskers\"",
                        ",\"categoryId\":7}  ");
                assertThat(client.answer().orElseThrow().status()).isEqualTo(201);
            },
            "a header block and a body, each nearly as long as it may take", client -> {
                sendInPieces(client, Duration.ofSeconds(1), POST, "Content-Length: 34\r\n\r\n");
                sendInPieces(client, Duration.ofMillis(2_400), "", PET);
                assertThat(client.answer().orElseThrow().status()).isEqualTo(201);
            },
            "requests with long pauses between them", client -> {
                for (int i = 0; i < 2; i++) {
                    assertThat(client.send(GOOD).answer().orElseThrow().status()).isEqualTo(200);
                    assertThat(client.isSilentFor(Duration.ofMillis(2_500))).isTrue();
                }
            },
            "a pause, then a slow header block", client -> {
                client.send(GOOD).answer();
                assertThat(client.isSilentFor(Duration.ofMillis(3_500))).isTrue();
                sendInPieces(client, Duration.ofMillis(1_200), GOOD.substring(0, 30), GOOD.substring(30));
                assertThat(client.answer().orElseThrow().status()).isEqualTo(200);
            });

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> everybodyAtOnce() throws InterruptedException {
        AtOnce clients = new AtOnce();
        CountDownLatch slowOnes = new CountDownLatch(2 * TABLE.size());
        try (TestService service = TestService.start(folder, new Deadlines(IDLE, HEADER, REQUEST), 1_000)) {
            assertThat(service.client().get("/v1/pets").statusCode()).isEqualTo(200);
            assertThat(service.client().post(PET).statusCode()).isEqualTo(201);
            for (Slow slow : TABLE) {
                clients.add("closes a new connection for " + slow.name(),
                        counted(slowOnes, () -> closesNew(service, slow)));
                clients.add("closes a kept connection for " + slow.name(),
                        counted(slowOnes, () -> closesKept(service, slow)));
            }
            IN_TIME.forEach((name, patient) -> clients.add("keeps a connection with " + name, () -> {
                try (RawClient client = new RawClient(service.port())) {
                    patient.talk(client);
                }
            }));
            clients.add("answers everybody else promptly", () -> answersPromptly(service.client(), slowOnes));
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

    private static void closesNew(TestService service, Slow slow) throws IOException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(service.port())) {
            client.send(slow.start());
            dripUntilClosed(client, slow.drip());
        }
        assertThat(since(start)).isBetween(slow.onNew(), slow.onNew().plus(SLACK));
    }

    private static void closesKept(TestService service, Slow slow) throws IOException {
        try (RawClient client = new RawClient(service.port())) {
            long start = System.nanoTime();
            assertThat(client.send(GOOD).answer().orElseThrow().status()).isEqualTo(200);
            if (!slow.onKept().equals(IDLE)) {
                start = System.nanoTime();
            }
            client.send(slow.start());
            dripUntilClosed(client, slow.drip());
            assertThat(since(start)).isBetween(slow.onKept(), slow.onKept().plus(SLACK));
        }
    }

    private static void answersPromptly(ApiClient client, CountDownLatch slowOnes)
            throws InterruptedException {
        List<Duration> latencies = new ArrayList<>();
        while (!slowOnes.await(20, TimeUnit.MILLISECONDS)) {
            long start = System.nanoTime();
            assertThat(client.get("/v1/pets?limit=5").statusCode()).isEqualTo(200);
            assertThat(client.post(PET).statusCode()).isEqualTo(201);
            latencies.add(since(start));
        }
        assertThat(latencies).hasSizeGreaterThan(10).allSatisfy(latency -> assertThat(latency).isLessThan(PROMPTLY));
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
            while (since(start).compareTo(IDLE.multipliedBy(2)) < 0) {
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
