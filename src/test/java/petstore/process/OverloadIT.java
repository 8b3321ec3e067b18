package petstore.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PostgresServer;
import petstore.testkit.RawClient;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.TcpProxy;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static petstore.testkit.RawHttp2Client.LIVEZ;

/// The service under overload. Clients send ten times as many requests as the store can serve, without waiting for responses. Or they
/// open more connections than the service may have files, or send more unfinished requests than fit into its memory.
///
/// The store is slow because a proxy delays its database. So the load generator does not compete with the store for the processor.
@Tag("alone")
class OverloadIT {

    private static final String KEY = "a-key-for-the-test-of-overload";
    private static final String FIELDS = "Host: petstore\r\nAuthorization: Bearer " + KEY + "\r\n";
    private static final String LIST = "GET /v1/pets HTTP/1.1\r\n" + FIELDS + "\r\n";
    private static final Duration DELAY = Duration.ofMillis(25);
    private static final int READERS = 2;
    private static final int NOT_FOUND = 404;
    private static final double SECONDS = 3;
    private static final int MEGABYTE_KB = 1_024;
    private static final int SPARE_FILES = 20;
    private static final int UNFINISHED_REQUESTS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int UNREADING_CLIENTS = 60;
    private static final int FIELDS_PER_REQUEST = 225;
    /// A setting that allows no byte of a body to be sent: an initial window of 0 (RFC 9113 section 6.5.2).
    private static final byte[] ZERO_WINDOW = {0, 4, 0, 0, 0, 0};

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /// A response to a request of the load.
    ///
    /// @param durationMs the time since the request was due
    private record Response(int status, boolean hasRetryAfter, double durationMs) {
    }

    @Test
    void keepsThroughputAndRefusesExcessAtOnce() throws IOException {
        String database = PostgresServer.newDatabase();
        URI address = URI.create(database);
        try (TcpProxy proxy = new TcpProxy(address.getPort(), DELAY);
                PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of("PETSTORE_API_KEY", KEY),
                        database.replace(":" + address.getPort() + "/", ":" + proxy.port() + "/"),
                        "--database-readers", String.valueOf(READERS), "--access-log", "false").awaitReady()) {
            // The service caches no missing animal: each request queries the database.
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/pets/1"))
                    .header("Authorization", "Bearer " + KEY).build();
            double capacity = 1_000.0 / DELAY.toMillis() * READERS;
            load(request, capacity);
            double peak = goodput(load(request, capacity));
            List<Response> before = load(request, capacity / 4);
            long memoryBefore = memoryMegabytes(server);

            List<Response> refusedInAll = new ArrayList<>();
            // A pause of the whole machine can spoil one attempt. A slow service spoils every attempt.
            await().atMost(PATIENCE).untilAsserted(() -> {
                double refusedInTimeBefore = refusedInTime(server);
                List<Response> overload = load(request, capacity * 10);
                List<Response> refused = overload.stream().filter(response -> response.status() != NOT_FOUND).toList();
                refusedInAll.addAll(refused);
                assertThat(goodput(overload)).isGreaterThanOrEqualTo(0.8 * peak);
                assertThat(refused).hasSizeGreaterThan(overload.size() / 2);
                assertThat(percentile(refused, 0.95)).isLessThan(50);
                // The load generator causes the rest of the delay. By the service's own clock, almost all refusals are in time.
                assertThat(refusedInTime(server) - refusedInTimeBefore).isGreaterThanOrEqualTo(0.999 * refused.size());
                assertThat(memoryMegabytes(server)).isLessThan(memoryBefore + 64);

                List<Response> after = load(request, capacity / 4);
                assertThat(after).allMatch(response -> response.status() == NOT_FOUND);
                assertThat(percentile(after, 0.9)).isLessThan(2 * percentile(before, 0.9) + DELAY.toMillis());
            });
            assertThat(refusedInAll).allMatch(response -> response.status() == 503 && response.hasRetryAfter());
        }
    }

    @Test
    void keepsServingWhenFileDescriptorsRunOut(@TempDir Path folder) throws IOException {
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
                RawClient first = new RawClient(server.port())) {
            assertThat(list(first)).isEqualTo(200);
            long maxFiles = openFiles(server) + SPARE_FILES;
            server.limit("--nofile=" + maxFiles);
            List<Socket> others = new ArrayList<>();
            try {
                for (int i = 0; i < 3 * SPARE_FILES; i++) {
                    others.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
                }
                await("the limit of open files is reached").atMost(PATIENCE).until(() -> openFiles(server) >= maxFiles);
                assertThat(list(first)).isEqualTo(200);
            } finally {
                for (Socket other : others) {
                    other.close();
                }
            }
            // In the listen queue, the closed connections are ahead of this connection.
            try (RawClient next = new RawClient(server.port())) {
                assertThat(list(next)).isEqualTo(200);
            }
        }
    }

    static Stream<String> unfinishedRequests() {
        String head = "POST /v1/pets HTTP/1.1\r\n" + FIELDS;
        return Stream.of(head + "a:b\r\n".repeat(1_300),
                head + "Content-Type: application/json\r\nContent-Length: 65000\r\n\r\n" + " ".repeat(64_000));
    }

    /// Together the requests need more than twice the heap. Requests of the first kind need many times their bytes.
    ///
    /// The burst needs `Acceptor`: if Netty accepts all connections at once, the process runs out of memory.
    @ParameterizedTest
    @MethodSource("unfinishedRequests")
    void keepsServingWhenUnfinishedRequestsExceedHeap(String request, @TempDir Path folder)
            throws IOException {
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_JAVA_OPTIONS",
                "-XX:TieredStopAtLevel=1 -Xmx64m");
        byte[] unfinished = request.getBytes(StandardCharsets.US_ASCII);
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady();
                RawClient first = new RawClient(server.port())) {
            assertThat(list(first)).isEqualTo(200);
            List<Socket> others = new ArrayList<>();
            try {
                for (int i = 0; i < UNFINISHED_REQUESTS; i++) {
                    Socket other = new Socket(InetAddress.getLoopbackAddress(), server.port());
                    others.add(other);
                    sendIfOpen(other, unfinished);
                }
                await("connections are refused").atMost(PATIENCE).until(
                        () -> server.metric("petstore_refused_connections_total", "listener=\"api\"") > 0);
                assertThat(list(first)).isEqualTo(200);
            } finally {
                for (Socket other : others) {
                    other.close();
                }
            }
            await("new connections are accepted again").atMost(PATIENCE).until(() -> canListOnNewConnection(server));
        }
    }

    /// HTTP/2 clients send requests with many fields and read no response. Together they would need several times the heap.
    @Test
    void keepsServingWhenHttp2ClientsReadNoResponses(@TempDir Path folder) throws IOException {
        TlsFiles files = TestCertificate.ec().write(folder);
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_TLS_CERTIFICATE",
                files.certificate().toString(), "PETSTORE_TLS_KEY", files.key().toString(), "PETSTORE_JAVA_OPTIONS",
                "-XX:TieredStopAtLevel=1 -Xmx64m");
        List<RawHttp2Client> clients = new ArrayList<>();
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder.resolve("data")).awaitReady()) {
            for (int i = 0; i < UNREADING_CLIENTS; i++) {
                RawHttp2Client client = new RawHttp2Client(server.port());
                clients.add(client);
                client.begin(ZERO_WINDOW);
            }
            for (RawHttp2Client client : clients) {
                requestWithoutReading(client);
            }
            await("a new connection gets a response").atMost(PATIENCE).until(() -> {
                try (RawHttp2Client next = new RawHttp2Client(server.port())) {
                    return next.begin().request(1, true, LIVEZ).await(RawHttp2Client.HEADERS).orElseThrow()
                            .status() == 200;
                } catch (IOException | NoSuchElementException e) {
                    return false;
                }
            });
            assertThat(server.isAlive()).isTrue();
        } finally {
            for (RawHttp2Client client : clients) {
                client.close();
            }
        }
    }

    private static void requestWithoutReading(RawHttp2Client client) {
        String[] request = Arrays.copyOf(LIVEZ, LIVEZ.length + 2 * FIELDS_PER_REQUEST);
        Arrays.fill(request, LIVEZ.length, request.length, "a");
        try {
            for (int stream = 1; stream < 200; stream += 2) {
                client.request(stream, true, request);
            }
        } catch (IOException _) {
            // The server refused or closed the connection.
        }
    }

    private static void sendIfOpen(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException _) {
            // The server refused or closed the connection.
        }
    }

    /// Returns the number of 503 responses that took at most 50 milliseconds.
    private static double refusedInTime(PetstoreProcess server) {
        return server.metric("http_server_request_duration_seconds_bucket", "http_response_status_code=\"503\"",
                "le=\"0.05\"");
    }

    private static boolean canListOnNewConnection(PetstoreProcess server) {
        try (RawClient next = new RawClient(server.port())) {
            return next.send(LIST).response().filter(response -> response.status() == 200).isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /// Sends requests at this rate for [#SECONDS]. Returns all responses.
    private List<Response> load(HttpRequest request, double perSecond) {
        Queue<Response> responses = new ConcurrentLinkedQueue<>();
        long beginNs = System.nanoTime();
        CompletableFuture<?>[] sent = IntStream.range(0, (int) (perSecond * SECONDS)).mapToObj(i -> {
            long dueNs = beginNs + (long) (i * 1e9 / perSecond);
            while (System.nanoTime() < dueNs) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
            return http.sendAsync(request, BodyHandlers.discarding()).thenAccept(
                    response -> responses.add(toResponse(response, dueNs)));
        }).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(sent).join();
        return List.copyOf(responses);
    }

    private static Response toResponse(HttpResponse<Void> response, long dueNs) {
        return new Response(response.statusCode(), response.headers().firstValue("Retry-After").isPresent(),
                (System.nanoTime() - dueNs) / 1e6);
    }

    private static double goodput(List<Response> responses) {
        return responses.stream().filter(response -> response.status() == NOT_FOUND).count() / SECONDS;
    }

    private static double percentile(List<Response> responses, double fraction) {
        List<Double> sorted = responses.stream().map(Response::durationMs).sorted().toList();
        return sorted.get((int) (sorted.size() * fraction));
    }

    private static int list(RawClient client) throws IOException {
        return client.send(LIST).response().orElseThrow().status();
    }

    private static long openFiles(PetstoreProcess server) {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long memoryMegabytes(PetstoreProcess server) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + server.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:")).map(line -> line.replaceAll("\\D", ""))
                    .mapToLong(Long::parseLong).findFirst().orElseThrow() / MEGABYTE_KB;
        }
    }
}
