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
import petstore.testkit.SlowProxy;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// More than the service can take: ten times as many requests as the store can answer, which come whether or not those before were
/// answered, more connections than it may have files, and more of unfinished requests than fits into its memory. The store is slow
/// because its database is far away: so the test's own load takes nothing from it.
@Tag("alone")
class OverloadIT {

    private static final String KEY = "a-key-for-the-test-of-overload";
    private static final String FIELDS = "Host: petstore\r\nAuthorization: Bearer " + KEY + "\r\n";
    private static final String LIST = "GET /v1/pets HTTP/1.1\r\n" + FIELDS + "\r\n";
    private static final Duration DELAY = Duration.ofMillis(25);
    private static final int READERS = 2;
    private static final int FOUND_OUT = 404;
    private static final double SECONDS = 3;
    private static final int MEGABYTE_KB = 1_024;
    private static final int SPARE_FILES = 20;
    private static final int UNFINISHED = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int GREEDY = 60;
    private static final int FIELDS_OF_GREEDY = 225;
    /// A first window of no bytes for every answer (RFC 9113 section 6.5.2).
    private static final byte[] NO_WINDOW = {0, 4, 0, 0, 0, 0};
    private static final String[] LIVEZ = {":method", "GET", ":scheme", "https", ":path", "/livez", ":authority",
            "localhost"};

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /// One answer.
    ///
    /// @param tookMs from when the request was due
    private record Response(int status, boolean hasRetryAfter, double tookMs) {
    }

    @Test
    void goesOnAtItsPaceAndRefusesTheRestAtOnce() throws IOException {
        String database = PostgresServer.newDatabase();
        URI address = URI.create(database);
        try (SlowProxy proxy = new SlowProxy(address.getPort(), DELAY);
                PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of("PETSTORE_API_KEY", KEY),
                        database.replace(":" + address.getPort() + "/", ":" + proxy.port() + "/"),
                        "--database-readers", String.valueOf(READERS), "--access-log", "false").awaitReady()) {
            // A missing animal is looked up in the database each time.
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/pets/1"))
                    .header("Authorization", "Bearer " + KEY).build();
            double capacity = 1_000.0 / DELAY.toMillis() * READERS;
            load(request, capacity);
            double peak = goodput(load(request, capacity));
            List<Response> before = load(request, capacity / 4);
            long memoryBefore = memoryMegabytes(server);

            List<Response> refusedInAll = new ArrayList<>();
            // A pause of the whole machine spoils one storm or the load after it, a slow service each.
            await().atMost(PATIENCE).untilAsserted(() -> {
                double inTimeBefore = refusedInTime(server);
                List<Response> storm = load(request, capacity * 10);
                List<Response> refused = storm.stream().filter(answer -> answer.status() != FOUND_OUT).toList();
                refusedInAll.addAll(refused);
                assertThat(goodput(storm)).isGreaterThanOrEqualTo(0.8 * peak);
                assertThat(refused).hasSizeGreaterThan(storm.size() / 2);
                assertThat(percentile(refused, 0.95)).isLessThan(50);
                // The rest of the delay is the load generator's: the service's own clock has all but a few refused in time.
                assertThat(refusedInTime(server) - inTimeBefore).isGreaterThanOrEqualTo(0.999 * refused.size());
                assertThat(memoryMegabytes(server)).isLessThan(memoryBefore + 64);

                List<Response> after = load(request, capacity / 4);
                assertThat(after).allMatch(answer -> answer.status() == FOUND_OUT);
                assertThat(percentile(after, 0.9)).isLessThan(2 * percentile(before, 0.9) + DELAY.toMillis());
            });
            assertThat(refusedInAll).allMatch(answer -> answer.status() == 503 && answer.hasRetryAfter());
        }
    }

    @Test
    void goesOnWhenFilesRunOut(@TempDir Path folder) throws IOException {
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
                RawClient first = new RawClient(server.port())) {
            assertThat(list(first)).isEqualTo(200);
            long most = openFiles(server) + SPARE_FILES;
            server.limit("--nofile=" + most);
            List<Socket> others = new ArrayList<>();
            try {
                for (int i = 0; i < 3 * SPARE_FILES; i++) {
                    others.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
                }
                await("no file is left").atMost(PATIENCE).until(() -> openFiles(server) >= most);
                assertThat(list(first)).isEqualTo(200);
            } finally {
                for (Socket other : others) {
                    other.close();
                }
            }
            // Its turn comes behind all that were closed.
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

    /// Together they would take more than twice the heap, the first ones many times their bytes. The burst needs `ThrottledAcceptor`:
    /// when Netty accepts them all at once, the process runs out of memory.
    @ParameterizedTest
    @MethodSource("unfinishedRequests")
    void goesOnWhenMemoryRunsOut(String request, @TempDir Path folder)
            throws IOException {
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_JAVA_OPTIONS",
                "-XX:TieredStopAtLevel=1 -Xmx64m");
        byte[] unfinished = request.getBytes(StandardCharsets.US_ASCII);
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady();
                RawClient first = new RawClient(server.port())) {
            assertThat(list(first)).isEqualTo(200);
            List<Socket> others = new ArrayList<>();
            try {
                for (int i = 0; i < UNFINISHED; i++) {
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
            await("connections are taken again").atMost(PATIENCE).until(() -> isListOnNewConnection(server));
        }
    }

    /// Clients of HTTP/2 that take no answer, to requests of many fields: together they would take the heap several times.
    @Test
    void goesOnWhenNobodyTakesAnswersOverHttp2(@TempDir Path folder) throws IOException {
        TlsFiles files = TestCertificate.make(folder, "EC").write(folder);
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_TLS_CERTIFICATE",
                files.certificate().toString(), "PETSTORE_TLS_KEY", files.key().toString(), "PETSTORE_JAVA_OPTIONS",
                "-XX:TieredStopAtLevel=1 -Xmx64m");
        List<RawHttp2Client> clients = new ArrayList<>();
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder.resolve("data")).awaitReady()) {
            for (int i = 0; i < GREEDY; i++) {
                RawHttp2Client client = new RawHttp2Client(server.port());
                clients.add(client);
                client.begin(NO_WINDOW);
            }
            for (RawHttp2Client client : clients) {
                askWithoutTaking(client);
            }
            await("there is room again").atMost(PATIENCE).until(() -> {
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

    private static void askWithoutTaking(RawHttp2Client client) {
        String[] request = Arrays.copyOf(LIVEZ, LIVEZ.length + 2 * FIELDS_OF_GREEDY);
        Arrays.fill(request, LIVEZ.length, request.length, "a");
        try {
            for (int stream = 1; stream < 200; stream += 2) {
                client.request(stream, true, request);
            }
        } catch (IOException _) {
            // It was refused.
        }
    }

    private static void sendIfOpen(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException _) {
            // It was refused.
        }
    }

    /// Returns the number of responses 503 within 50 milliseconds.
    private static double refusedInTime(PetstoreProcess server) {
        return server.metric("http_server_request_duration_seconds_bucket", "http_response_status_code=\"503\"",
                "le=\"0.05\"");
    }

    private static boolean isListOnNewConnection(PetstoreProcess server) {
        try (RawClient next = new RawClient(server.port())) {
            return next.send(LIST).response().filter(answer -> answer.status() == 200).isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /// Sends requests at this rate for [#SECONDS]. Returns all answers.
    private List<Response> load(HttpRequest request, double perSecond) {
        Queue<Response> responses = new ConcurrentLinkedQueue<>();
        long beginNs = System.nanoTime();
        CompletableFuture<?>[] sent = IntStream.range(0, (int) (perSecond * SECONDS)).mapToObj(i -> {
            long dueNs = beginNs + (long) (i * 1e9 / perSecond);
            while (System.nanoTime() < dueNs) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
            return http.sendAsync(request, BodyHandlers.discarding()).thenAccept(
                    response -> responses.add(answer(response, dueNs)));
        }).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(sent).join();
        return List.copyOf(responses);
    }

    private static Response answer(HttpResponse<Void> response, long dueNs) {
        return new Response(response.statusCode(), response.headers().firstValue("Retry-After").isPresent(),
                (System.nanoTime() - dueNs) / 1e6);
    }

    private static double goodput(List<Response> responses) {
        return responses.stream().filter(answer -> answer.status() == FOUND_OUT).count() / SECONDS;
    }

    private static double percentile(List<Response> responses, double part) {
        List<Double> sorted = responses.stream().map(Response::tookMs).sorted().toList();
        return sorted.get((int) (sorted.size() * part));
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
