package petstore.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The log on stderr, and the spans for a collector of traces.
class LogIT {

    private static final String KEY = "a-key-that-nobody-may-see-in-a-log";
    private static final int REFUSALS = 500;
    private static final int UNREAD = 100;
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    @TempDir
    private Path folder;

    @Test
    void everyRequestIsALineOfText() {
        List<String> log = log("--access-log", "true");
        assertThat(log).allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z (INFO |WARN ) \\w+ - .*"));
        assertThat(log).anyMatch(line -> line.matches(".* access - answered request=first key=configured method=POST"
                + " route=/v1/pets status=201 bytes=\\d+ trace=" + TRACE + " duration_us=\\d+"));
        assertThat(log).anyMatch(line -> line.contains("request=second key=- method=GET route=/v1/pets status=401"));
        assertThat(log)
                .anyMatch(line -> line.contains("request=third ") && line.contains("route=unmatched status=404"))
                .anyMatch(line -> line.contains(" audit - refused 401 GET unmatched ") && line.endsWith("=fourth"))
                .anyMatch(line -> line.contains(" audit - refused 401 _OTHER /v1/pets ") && line.endsWith("=fifth"))
                .anyMatch(line -> line.contains("request=fifth key=- method=_OTHER route=/v1/pets status=401"));
    }

    @Test
    void everyRequestIsAnObject() throws IOException {
        Map<String, Object> first = null;
        for (String line : log("--log-format", "json", "--access-log", "true")) {
            Map<String, Object> event = object(line);
            assertThat(event).containsKeys("time", "level", "logger", "message");
            if ("first".equals(event.get("request"))) {
                first = event;
            }
        }
        assertThat(first).isNotNull().containsEntry("logger", "access").containsEntry("key", "configured")
                .containsEntry("method", "POST").containsEntry("route", "/v1/pets").containsEntry("status", 201L)
                .containsEntry("trace", TRACE).containsKeys("bytes", "duration_us");
    }

    @Test
    void requestsCanBeLeftOut() {
        assertThat(log("--access-log", "false")).noneMatch(line -> line.contains("request=first"))
                .anyMatch(line -> line.contains("audit"));
    }

    @Test
    void everyRefusalIsInTheLog() {
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady()) {
            ApiClient stranger = server.client("");
            for (int i = 0; i < REFUSALS; i++) {
                stranger.get("/v1/pets", "X-Request-Id", "stranger-" + i);
            }
            server.terminate();
            List<String> err = server.ending().err();
            assertThat(err.stream().filter(line -> line.matches(".* audit - refused 401 GET /v1/pets key=- from=\\S+"
                    + " request=stranger-\\d+"))).hasSize(REFUSALS).doesNotHaveDuplicates();
        }
    }

    /// A pipe takes 64 KB, the queue of the log 1 MB.
    @Test
    void aReaderThatStopsDelaysNoRequest() {
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
                StoreFile file = new StoreFile(folder)) {
            file.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'defect'); END");
            server.unheard(() -> {
                for (int i = 0; i < UNREAD; i++) {
                    server.client("").get("/v1/pets");
                    assertThat(server.client(KEY).post("{\"name\":\"Rex\",\"categoryId\":1}").statusCode())
                            .isEqualTo(500);
                }
            });
            server.terminate();
            assertThat(server.ending().code()).isZero();
            assertThat(server.err()).filteredOn(line -> line.contains(" ERROR Dispatcher - Request ")).hasSize(UNREAD);
        }
    }

    /// Returns the log of a program that ends after some requests. Fails if it has a secret.
    private List<String> log(String... options) {
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder, options)
                .awaitReady()) {
            ApiClient client = server.client(KEY);
            assertThat(client.post("{\"name\":\"Secret of the body\",\"categoryId\":1}", "X-Request-Id", "first",
                    "traceparent", PARENT).statusCode()).isEqualTo(201);
            client.withKey("").get("/v1/pets", "X-Request-Id", "second");
            client.get("/v1/" + KEY, "X-Request-Id", "third");
            client.withKey("").get("/v1/" + KEY, "X-Request-Id", "fourth");
            client.withKey("").send(KEY, "/v1/pets", new byte[0], "X-Request-Id", "fifth");
            sendBadKey(server.port());
            server.terminate();
            List<String> err = server.ending().err();
            assertThat(err).noneMatch(line -> line.contains(KEY) || line.contains("Secret"));
            return err;
        }
    }

    /// As from a file whose lines end as on Windows.
    private static void sendBadKey(int port) {
        try (RawClient client = new RawClient(port)) {
            client.send("GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY + "\r\r\n\r\n");
            assertThat(client.answer().orElseThrow().status()).isEqualTo(400);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> object(String line) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        try (JsonParser json = new JsonFactory().createParser(line)) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String name = json.currentName();
                members.put(name, json.nextToken().isNumeric() ? json.getLongValue() : json.getText());
            }
            assertThat(json.nextToken()).isNull();
        }
        return members;
    }

    @Test
    void spansGoWhereTheEnvironmentSays() throws IOException, InterruptedException {
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
    void aCollectorThatIsNotThereIsALineToo() {
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:1", "OTEL_BSP_SCHEDULE_DELAY", "100", "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED",
                "true");
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder, "--log-format", "json")
                .awaitReady()) {
            server.client(KEY).get("/v1/pets");
            await().until(() -> server.err().stream().anyMatch(line -> line.contains("Failed to export")));
            server.terminate();
            assertThat(server.ending().err()).allMatch(line -> ServedContract.json(line).has("level"));
        }
    }
}
