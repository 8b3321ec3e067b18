package petstore.blackbox;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.AtOnce;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Clients that ask for much at once and do not read it, or read it slowly.
class UnreadResponsesTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration PATIENT = Duration.ofSeconds(3);
    /// The greatest delay of a deadline on a busy machine.
    private static final Duration SLACK = Duration.ofSeconds(10);
    /// Bytes in the system's buffers of both directions, and those that the service reads before it stops.
    private static final long MOST_BYTES_TAKEN_IN = 20L * 1024 * 1024;
    /// Pages that are more than the system holds.
    private static final int PAGES = 700;
    private static final int SMALL_BUFFER = 4 * 1024;

    private static final String HEADERS = "Host: x\r\nAuthorization: Bearer " + TestService.KEY + "\r\n";
    private static final String PAGE = "GET /v1/pets?limit=100 HTTP/1.1\r\n" + HEADERS + "\r\n";
    private static final String SCRIPT = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n";
    /// Makes the service read in larger and larger pieces.
    private static final String LONG_BODY = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n"
            + "x".repeat(4_000_000);
    private static final String PET = "{\"name\":\"" + "x".repeat(255) + "\",\"categoryId\":7}";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\n" + HEADERS
            + "Content-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n" + PET;

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> everybodyAtOnce() throws InterruptedException {
        try (TestService service = start("short", SHORT); TestService patient = start("patient", PATIENT)) {
            AtOnce clients = new AtOnce();
            clients.add("stops reading and answering when answers pile up", () -> stopsWhenAnswersPileUp(service));
            clients.add("goes on when they are read at last", () -> goesOnWhenRead(patient));
            clients.add("closes who reads by drips", () -> closesWhoReadsByDrips(service));
            clients.add("keeps who reads each answer in time", () -> keepsWhoReadsInTime(patient));
            return clients.run();
        }
    }

    /// A service with a full page of animals.
    private TestService start(String name, Duration request) {
        TestService service = TestService.start(folder.resolve(name), new Deadlines(LONG, LONG, request), 100);
        for (int i = 0; i < 100; i++) {
            assertThat(service.client().post(PET).statusCode()).isEqualTo(201);
        }
        return service;
    }

    /// Requests take many times the room of their bytes once they are read, and must wait behind answers that nobody takes.
    @Test
    void readsLittleOfWhatMustWait() throws IOException, InterruptedException {
        byte[] requests = (LONG_BODY + SCRIPT.repeat(8) + "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100_000))
                .getBytes(StandardCharsets.US_ASCII);
        List<RawClient> clients = new ArrayList<>();
        try (TestService service = TestService.start(folder, new Deadlines(LONG, LONG, LONG), 100);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long before = heapBytes();
            for (int i = 0; i < 10; i++) {
                RawClient client = new RawClient(service.port());
                clients.add(client);
                threads.execute(() -> sendUntilClosed(client, requests));
            }
            awaitBytes(clients, 10_001);
            Thread.sleep(SHORT);
            long taken = heapBytes() - before;
            for (RawClient client : clients) {
                client.close();
            }
            assertThat(taken).isLessThan(clients.size() * 4L * 1024 * 1024);
        }
    }

    /// The service buffers a small part of a long response that a client does not read.
    @Test
    void keepsLittleOfAnAnswerThatNobodyTakes() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try (TestService service = TestService.start(folder, new Deadlines(LONG, LONG, LONG), 100)) {
            long before = directBytes();
            for (int i = 0; i < 50; i++) {
                RawClient client = new RawClient(service.port(), SMALL_BUFFER);
                clients.add(client);
                client.send(SCRIPT.repeat(8));
            }
            awaitBytes(clients, 1);
            for (int i = 0; i < 100; i++) {
                assertThat(service.client().get("/livez").statusCode()).isEqualTo(200);
            }
            assertThat(directBytes() - before).isLessThan(32L * 1024 * 1024);
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /// Waits until every client has received this many bytes.
    private static void awaitBytes(List<RawClient> clients, int count) {
        await("answers").pollDelay(Duration.ZERO).until(() -> {
            for (RawClient client : clients) {
                if (client.socket().getInputStream().available() < count) {
                    return false;
                }
            }
            return true;
        });
    }

    private static long directBytes() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
    }

    private static void sendUntilClosed(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            // Nobody took all of it.
        }
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /// The animal behind more pages than the system can hold is never added.
    private static void stopsWhenAnswersPileUp(TestService service) throws IOException {
        long start = System.nanoTime();
        long sent = 0;
        try (RawClient client = new RawClient(service.port())) {
            client.send(PAGE.repeat(PAGES) + POST);
            String more = PAGE.repeat(1_000);
            while (sent < 2 * MOST_BYTES_TAKEN_IN) {
                client.send(more);
                sent += more.length();
            }
        } catch (SocketException e) {
            assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
        }
        assertThat(sent).isLessThan(MOST_BYTES_TAKEN_IN);
        assertThat(service.client().get("/v1/pets/101").statusCode()).isEqualTo(404);
    }

    private static void goesOnWhenRead(TestService service) throws IOException, InterruptedException {
        int count = 1_000;
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append(PAGE.replace("\r\n\r\n", "\r\nX-Request-Id: request-" + i + "\r\n\r\n"));
        }
        try (RawClient client = new RawClient(service.port())) {
            client.send(requests.toString());
            Thread.sleep(PATIENT.dividedBy(6));
            for (int i = 0; i < count; i++) {
                RawClient.Response response = client.response().orElseThrow();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.headers().get("x-request-id")).containsExactly("request-" + i);
            }
        }
    }

    private static void closesWhoReadsByDrips(TestService service) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(service.port(), SMALL_BUFFER)) {
            client.send(SCRIPT.repeat(8));
            while (client.socket().getInputStream().read(new byte[128]) > 0
                    && since(start).compareTo(SHORT.plus(SLACK)) < 0) {
                Thread.sleep(Duration.ofMillis(10));
            }
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
    }

    /// All answers together take longer than one may take.
    private static void keepsWhoReadsInTime(TestService service) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(service.port())) {
            client.send(SCRIPT.repeat(16));
            for (int i = 0; i < 16; i++) {
                Thread.sleep(PATIENT.dividedBy(12));
                assertThat(client.response().orElseThrow().status()).isEqualTo(200);
            }
        }
        assertThat(since(start)).isGreaterThan(PATIENT);
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
