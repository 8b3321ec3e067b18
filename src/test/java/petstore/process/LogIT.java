package petstore.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.KeyToken;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.Disk;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

/// The log on stderr, and the spans that the service exports to a trace collector.
class LogIT {

    private static final String KEY = "a-key-that-nobody-may-see-in-a-log";
    private static final int REFUSALS = 500;
    private static final String REFUSAL = "^\\S+ INFO  audit - refused 401 GET /v1/pets key=- from=\\S+"
            + " request=(stranger-\\d+) reason=\"there is no Authorization field\"$";
    private static final List<String> EVERY_REFUSAL = IntStream.range(0, REFUSALS).mapToObj(i -> "stranger-" + i)
            .toList();
    private static final int FAILED_REQUESTS = 100;
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    @TempDir
    private Path folder;

    /// No line has a secret. By default, no proxy is trusted.
    @Test
    void logsEachRequestAsLineOfText() {
        List<String> log;
        try (PetstoreProcess server = PetstoreProcess
                .serve(Map.of("PETSTORE_API_KEY", KEY), folder, "--access-log", "true").awaitReady()) {
            ApiClient client = server.client(KEY);
            assertThat(client.post("{\"name\":\"Secret of the body\",\"categoryId\":1}", "X-Request-Id", "first",
                    "traceparent", PARENT, "X-Forwarded-For", "203.0.113.9").statusCode()).isEqualTo(201);
            client.withKey("").get("/v1/pets", "X-Request-Id", "second");
            client.get("/v1/" + KEY, "X-Request-Id", "third");
            client.withKey("").get("/v1/" + KEY, "X-Request-Id", "fourth");
            client.withKey("").send(KEY, "/v1/pets", new byte[0], "X-Request-Id", "fifth");
            sendKeyWithCarriageReturn(server.port());
            server.terminate();
            log = server.ending().err();
        }
        assertThat(log).noneMatch(line -> line.contains(KEY) || line.contains("Secret"));
        assertThat(log).allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z (INFO |WARN ) \\w+ - .*"));
        assertThat(log).anyMatch(line -> line.matches(".* access - answered request=first key=configured method=POST"
                + " route=/v1/pets status=201 bytes=\\d+ trace=" + TRACE + " duration_us=\\d+ client=127.0.0.1"));
        assertThat(log).anyMatch(line -> line.contains("request=second key=- method=GET route=/v1/pets status=401"));
        assertThat(log)
                .anyMatch(line -> line.contains("request=third ") && line.contains("route=unmatched status=404"))
                .anyMatch(line -> line.contains(" audit - refused 401 GET unmatched ") && line.contains("=fourth "))
                .anyMatch(line -> line.contains(" audit - refused 401 _OTHER /v1/pets ") && line.contains("=fifth "))
                .anyMatch(line -> line.contains("request=fifth key=- method=_OTHER route=/v1/pets status=401"));
    }

    /// A line that was begun is continued.
    @Test
    void logsEveryRefusalAfterDiskOfLogWasFull() throws IOException {
        Disk disk = Disk.in(folder.resolve("disk"))
                .orElseGet(() -> abort("simulated disk failures need Linux and cc"));
        Path log = Files.createFile(folder.resolve("log"));
        List<String> starter = new ArrayList<>(List.of("env"));
        disk.environment().forEach((name, value) -> starter.add(name + "=" + value));
        starter.addAll(List.of("sh", "-c", "exec \"$@\" 2>> \"$0\"", log.toString()));
        try (PetstoreProcess server = PetstoreProcess.serveThrough(starter, folder.resolve("data")).awaitReady()) {
            disk.fail(Disk.Call.LOG);
            refuse(server);
            await().during(Duration.ofMillis(300)).until(
                    () -> Files.readAllLines(log).stream().noneMatch(line -> line.contains(EVERY_REFUSAL.getLast())));
            disk.heal(Disk.Call.LOG);
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
        assertThat(requests(Files.readAllLines(log).stream().filter(line -> line.matches(REFUSAL))))
                .containsExactlyElementsOf(EVERY_REFUSAL);
    }

    /// The pipe refuses bytes instead of waiting for its reader.
    @Test
    void logsEveryRefusalToPipeThatDoesNotBlock() {
        assumeThat(Tools.isInstalled("python3")).as("python3 is installed").isTrue();
        List<String> starter = List.of("python3", "-c",
                "import os, sys; os.set_blocking(2, False); os.execv(sys.argv[1], sys.argv[1:])");
        try (PetstoreProcess server = PetstoreProcess.serveThrough(starter, folder).awaitReady()) {
            server.withStderrUnread(() -> refuse(server));
            server.terminate();
            assertThat(requests(server.ending().err().stream().filter(line -> line.contains("stranger"))))
                    .containsExactlyElementsOf(EVERY_REFUSAL);
        }
    }

    private static void refuse(PetstoreProcess server) {
        ApiClient stranger = server.client("");
        for (int i = 0; i < REFUSALS; i++) {
            stranger.get("/v1/pets", "X-Request-Id", "stranger-" + i);
        }
    }

    private static Stream<String> requests(Stream<String> refusals) {
        return refusals.map(line -> line.replaceFirst(REFUSAL, "$1"));
    }

    /// Requests pass two proxies. The service trusts the address of the nearer proxy, and the network of the other proxy.
    @Test
    void logsAddressOfClientBehindTrustedProxies() {
        List<String> lines = loggedClients("--trusted-proxy", "127.0.0.1,10.0.0.0/8", "--trusted-proxy",
                "2001:db8::/32");
        assertThat(lines).containsExactly("plain client=127.0.0.1", "listed client=203.0.113.9",
                "forged client=203.0.113.9", "other client=127.0.0.1", "broken client=10.0.0.2",
                "six client=2001:470::9");
    }

    @Test
    void readsOnlyConfiguredProxyHeader() {
        assertThat(loggedClients("--trusted-proxy", "127.0.0.1", "--trusted-proxy-header", "x-real-ip"))
                .contains("listed client=127.0.0.1", "other client=198.51.100.1");
    }

    /// Sends requests with different headers. Returns the id and the client address of each, as the access log has them.
    private List<String> loggedClients(String... options) {
        try (PetstoreProcess server = PetstoreProcess
                .serve(Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_ACCESS_LOG", "true"), folder, options).awaitReady()) {
            String field = "X-Forwarded-For";
            ApiClient client = server.client("");
            client.get("/livez", "X-Request-Id", "plain");
            client.get("/livez", "X-Request-Id", "listed", field, "203.0.113.9:5000, 10.0.0.2");
            client.get("/livez", "X-Request-Id", "forged", field, "198.51.100.1", field, "203.0.113.9");
            client.get("/livez", "X-Request-Id", "other", "X-Real-IP", "198.51.100.1", "Forwarded", "for=198.51.100.1");
            client.get("/livez", "X-Request-Id", "broken", field, "203.0.113.9, unknown, 10.0.0.2");
            client.get("/livez", "X-Request-Id", "six", field, "[2001:470::9]:443, 2001:db8::1");
            assertThat(client.get("/v1/pets", "X-Request-Id", "refused", field, "203.0.113.9").statusCode())
                    .isEqualTo(401);
            server.terminate();
            List<String> err = server.ending().err();
            String loggedClient = err.stream().filter(line -> line.contains("request=refused key=")).findFirst()
                    .orElseThrow()
                    .replaceFirst(".* client=(\\S+) .*", "$1");
            assertThat(err)
                    .anyMatch(line -> line
                            .contains(" audit - refused 401 GET /v1/pets key=- from=" + loggedClient + " "));
            return err.stream().filter(line -> line.contains("route=/livez"))
                    .map(line -> line.replaceFirst(".* request=(\\S+) .* (client=\\S+).*", "$1 $2")).toList();
        }
    }

    /// Operators find the reason in the log line of the request. The access log and the audit log have the same reason.
    @Test
    void logsReasonOfRefusal() throws InterruptedException {
        try (PetstoreProcess server = PetstoreProcess.serve(folder, "--log-format", "json", "--access-log", "true")
                .awaitReady()) {
            String key = server.firstKey().orElseThrow();
            String reader = CommandLines.run(folder, "keys", "create", "--name", "reader", "--scope", "pets:read",
                    "--rate-limit", "1/365d");
            String expired = CommandLines.run(folder, "keys", "create", "--name", "old", "--expires-in", "1ms");
            String revoked = CommandLines.run(folder, "keys", "create", "--name", "gone");
            CommandLines.run(folder, "keys", "revoke", id(revoked));
            ApiClient client = server.client(key);
            client.withKey("").get("/v1/pets", "X-Request-Id", "missing");
            client.withKey("").get("/v1/pets", "X-Request-Id", "basic", "Authorization", "Basic YTpi");
            client.withKey("nonsense").get("/v1/pets", "X-Request-Id", "malformed");
            client.withKey(KeyToken.random().text()).get("/v1/pets", "X-Request-Id", "unknown");
            client.withKey(expired).get("/v1/pets", "X-Request-Id", "expired");
            client.withKey(revoked).get("/v1/pets", "X-Request-Id", "revoked");
            client.withKey(reader).post("{}", "X-Request-Id", "scope");
            client.withKey(reader).get("/v1/pets", "X-Request-Id", "limited");
            client.get("/v1/pets?limit=0", "X-Request-Id", "bad");
            client.get("/nothing", "X-Request-Id", "nowhere");
            client.get("/v1/pets", "X-Request-Id", "good");
            server.terminate();
            Map<String, String> reasons = new TreeMap<>();
            for (String line : server.ending().err()) {
                JsonNode event = ServedContract.json(line);
                if (event.get("log.logger").asText().equals("access")
                        || event.get("message").asText().equals("refused")) {
                    reasons.merge(event.get("http.request.id").asText(), event.path("event.reason").asText(),
                            (access, audit) -> {
                                assertThat(audit).isEqualTo(access);
                                return access;
                            });
                }
            }
            assertThat(reasons).containsAllEntriesOf(Map.of("missing", "there is no Authorization field",
                    "basic", "Authorization is not one field of the form: Bearer <API key>",
                    "malformed", "the API key is malformed",
                    "unknown", "the API key is unknown, or its secret was replaced",
                    "expired", "the API key " + id(expired) + " has expired",
                    "revoked", "the API key " + id(revoked) + " is revoked",
                    "scope", "this API key does not have the scope pets:write",
                    "limited", "rate limit exceeded; try again later",
                    "bad", "limit must be an integer between 1 and 100",
                    "good", "")).hasEntrySatisfying("nowhere", reason -> assertThat(reason).startsWith("not found"));
        }
    }

    private static String id(String key) {
        return KeyToken.parse(key).orElseThrow().id();
    }

    /// A pipe holds 64 KB, the queue of the log 1 MB.
    @Test
    void respondsWhileStderrIsNotRead() {
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
                StoreFile file = new StoreFile(folder)) {
            file.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'defect'); END");
            server.withStderrUnread(() -> {
                for (int i = 0; i < FAILED_REQUESTS; i++) {
                    server.client("").get("/v1/pets");
                    assertThat(server.client(KEY).post("{\"name\":\"Rex\",\"categoryId\":1}").statusCode())
                            .isEqualTo(500);
                }
            });
            server.terminate();
            assertThat(server.ending().code()).isZero();
            assertThat(server.err()).filteredOn(line -> line.contains(" ERROR Dispatcher - request "))
                    .hasSize(FAILED_REQUESTS);
            assertThat(server.err().stream().mapToInt(String::length).sum()).as("more than the pipe holds")
                    .isGreaterThan(64 * 1024);
        }
    }

    /// Sends a key with a trailing carriage return, as in a file with the line ends of Windows.
    private static void sendKeyWithCarriageReturn(int port) {
        try (RawClient client = new RawClient(port)) {
            client.send("GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY + "\r\r\n\r\n");
            assertThat(client.response().orElseThrow().status()).isEqualTo(400);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void exportsSpansToConfiguredCollector() throws IOException, InterruptedException {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + collector.getAddress().getPort(), "OTEL_BSP_SCHEDULE_DELAY", "60000");
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady()) {
            server.client(KEY).send(KEY, "/v1/pets", new byte[0]);
            server.client(KEY).get("/v1/pets", "traceparent", PARENT);
            server.terminate();
            assertThat(server.ending().code()).isZero();
            byte[] spans = received.poll(10, TimeUnit.SECONDS);
            assertThat(spans).isNotNull();
            assertThat(HexFormat.of().formatHex(spans)).contains(TRACE, hex("GET /v1/pets"), hex("HTTP /v1/pets"))
                    .doesNotContain(hex(KEY));
        } finally {
            collector.stop(0);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void logsUnreachableCollectorAsJson() {
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:1", "OTEL_BSP_SCHEDULE_DELAY", "100", "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED",
                "true");
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder, "--log-format", "json")
                .awaitReady()) {
            server.client(KEY).get("/v1/pets");
            await().until(() -> server.err().stream().anyMatch(line -> line.contains("Failed to export")));
            server.terminate();
            assertThat(server.ending().err()).allMatch(line -> ServedContract.json(line).has("log.level"));
        }
    }
}
