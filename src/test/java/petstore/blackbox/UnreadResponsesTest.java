package petstore.blackbox;

import java.io.Closeable;
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
import petstore.testkit.ConcurrentClients;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Pipelined requests of clients that read the responses slowly or not at all.
class UnreadResponsesTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration PATIENT = Duration.ofSeconds(3);
    /// The greatest delay of a deadline on a busy machine.
    private static final Duration SLACK = Duration.ofSeconds(10);
    /// An upper bound of the bytes in the socket buffers of both directions and the bytes that the service reads before it stops.
    private static final long MAX_BYTES_ACCEPTED = 20L * 1024 * 1024;
    /// More pages than the socket buffers hold.
    private static final int PAGES = 700;
    private static final int SMALL_BUFFER = 4 * 1024;

    private static final String HEADERS = "Host: x\r\nAuthorization: Bearer " + TestService.KEY + "\r\n";
    private static final String PAGE = "GET /v1/pets?limit=100 HTTP/1.1\r\n" + HEADERS + "\r\n";
    private static final String SCRIPT = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n";
    /// Makes the service read larger and larger pieces at a time.
    private static final String LONG_BODY = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n"
            + "x".repeat(4_000_000);
    private static final String PET = "{\"name\":\"" + "x".repeat(255) + "\",\"categoryId\":7}";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\n" + HEADERS
            + "Content-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n" + PET;

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> closesOnlyConnectionsThatReadTooSlowly() throws InterruptedException {
        try (TestService service = start("short", SHORT); TestService patient = start("patient", PATIENT)) {
            ConcurrentClients clients = new ConcurrentClients();
            clients.add("stops reading and responding while responses are unread",
                    () -> stopsWhileResponsesAreUnread(service));
            clients.add("continues when the responses are read", () -> continuesWhenResponsesAreRead(patient));
            clients.add("closes a connection whose client reads a few bytes at a time",
                    () -> closesConnectionOfSlowReader(service));
            clients.add("keeps a connection whose client reads each response in time",
                    () -> keepsConnectionOfTimelyReader(patient));
            return clients.run();
        }
    }

    /// Starts a service with a full page of animals.
    private TestService start(String name, Duration request) {
        TestService service = TestService.start(folder.resolve(name), new Deadlines(LONG, LONG, request), 100);
        for (int i = 0; i < 100; i++) {
            assertThat(service.client().post(PET).statusCode()).isEqualTo(201);
        }
        return service;
    }

    /// A decoded request needs many times the memory of its bytes, and has to wait behind the unread responses.
    @Test
    void readsFewRequestsBehindUnreadResponses() throws IOException, InterruptedException {
        byte[] requests = (LONG_BODY + SCRIPT.repeat(8) + "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100_000))
                .getBytes(StandardCharsets.US_ASCII);
        List<RawClient> clients = new ArrayList<>();
        try (TestService service = TestService.start(folder, new Deadlines(LONG, LONG, LONG), 100);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Closeable _ = () -> closeAll(clients)) {
            long before = heapBytes();
            for (int i = 0; i < 10; i++) {
                RawClient client = new RawClient(service.port());
                clients.add(client);
                threads.execute(() -> sendUntilClosed(client, requests));
            }
            awaitBytes(clients, 10_001);
            Thread.sleep(SHORT);
            long heapGrowth = heapBytes() - before;
            assertThat(heapGrowth).isLessThan(clients.size() * 4L * 1024 * 1024);
        }
    }

    @Test
    void buffersSmallPartOfUnreadResponse() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try (TestService service = TestService.start(folder, new Deadlines(LONG, LONG, LONG), 100);
                Closeable _ = () -> closeAll(clients)) {
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
        }
    }

    private static void closeAll(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    /// Waits until every client has received this many bytes.
    private static void awaitBytes(List<RawClient> clients, int count) {
        await("responses").pollDelay(Duration.ZERO).until(() -> {
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
            // The service does not read all of it.
        }
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /// The animal is never added, because its POST follows requests for more pages than the socket buffers hold.
    private static void stopsWhileResponsesAreUnread(TestService service) throws IOException {
        long start = System.nanoTime();
        long sent = 0;
        try (RawClient client = new RawClient(service.port())) {
            client.send(PAGE.repeat(PAGES) + POST);
            String batch = PAGE.repeat(1_000);
            while (sent < 2 * MAX_BYTES_ACCEPTED) {
                client.send(batch);
                sent += batch.length();
            }
        } catch (SocketException e) {
            assertThat(since(start)).isBetween(SHORT, SHORT.plus(SLACK));
        }
        assertThat(sent).isLessThan(MAX_BYTES_ACCEPTED);
        assertThat(service.client().get("/v1/pets/101").statusCode()).isEqualTo(404);
    }

    private static void continuesWhenResponsesAreRead(TestService service) throws IOException, InterruptedException {
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

    private static void closesConnectionOfSlowReader(TestService service) throws IOException, InterruptedException {
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

    /// All responses together take longer than the deadline of one response.
    private static void keepsConnectionOfTimelyReader(TestService service) throws IOException, InterruptedException {
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
