package petstore.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// API keys that clients paste into the wrong place. No response, log line, span or row of the store repeats them.
class PastedKeysIT {

    private static final String PARENT = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
    private static final String BODY = "Content-Type: application/json\r\nContent-Length: ";

    @TempDir
    private Path folder;

    /// Requests in which `?` stands for the key, and `!` for the Authorization field with the key.
    private static final List<String> REQUESTS = List.of("GET /v1/pets HTTP/1.1\r\n!X-Request-Id: ?\r\n",
            "GET /v1/pets HTTP/1.1\r\nX-Request-Id: a-?-b\r\n", "GET /v1/pets HTTP/1.1\r\n!?: x\r\n",
            "GET /v1/pets HTTP/1.1\r\n!X-?-(: x\r\n", "GET /v1/pets HTTP/1.1\r\n!?\r\n",
            "GET /v1/pets HTTP/1.1\r\nAuthorization: ?\r\n", "GET /v1/pets HTTP/1.1\r\nAuthorization: Basic ?\r\n",
            "GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ?x\r\n", "GET /v1/? HTTP/1.1\r\n!", "GET /? HTTP/1.1\r\n",
            "GET /v1/pets/? HTTP/1.1\r\n!", "GET /docs/? HTTP/1.1\r\n", "GET /v1/pets?limit=?&after=? HTTP/1.1\r\n!",
            "GET /v1/pets?? HTTP/1.1\r\n!", "? /v1/pets HTTP/1.1\r\n!", "GET /v1/pets HTTP/?\r\n!",
            "GET http://?/v1/pets HTTP/1.1\r\n!", "GET ?@x:1 HTTP/1.1\r\n!",
            "GET /v1/pets HTTP/1.1\r\n!tracestate: a=?\r\n" + PARENT, "GET /v1/pets HTTP/1.1\r\n!baggage: a=?\r\n"
                    + PARENT,
            "GET /v1/pets HTTP/1.1\r\n!traceparent: 00-?-00f067aa0ba902b7-01\r\n",
            "GET /v1/pets HTTP/1.1\r\n!Origin: https://?\r\n", "GET /v1/pets HTTP/1.1\r\n!If-None-Match: \"?\"\r\n",
            "GET /v1/pets HTTP/1.1\r\n!Transfer-Encoding: ?\r\n", "GET /v1/pets HTTP/1.1\r\n!Content-Length: ?\r\n",
            "GET /v1/pets HTTP/1.1\r\n!Connection: ?\r\n", "GET /v1/pets HTTP/1.1\r\n!Upgrade: ?\r\nExpect: ?\r\n",
            "POST /v1/pets HTTP/1.1\r\n!Content-Type: ?\r\nContent-Length: 0\r\n",
            "POST /v1/pets HTTP/1.1\r\n!Idempotency-Key: ?\r\n" + BODY
                    + "29\r\n\r\n{\"name\":\"Rex\",\"categoryId\":1}",
            "POST /v1/pets HTTP/1.1\r\n!Idempotency-Key: ?\r\n" + BODY + "62\r\n\r\n{\"status\":\"?\"",
            "POST /v1/pets HTTP/1.1\r\n!" + BODY + "58\r\n\r\n{\"?\":1}", "POST /v1/pets HTTP/1.1\r\n!" + BODY
                    + "53\r\n\r\n?");

    /// A configured key with the characters of a request id, and as long as a key of a store.
    private static final String CONFIGURED = "configured-key.of_this-service." + "x1".repeat(11);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void appearInNoResponseLogSpanOrStore(boolean isConfigured) throws IOException, InterruptedException {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        Map<String, String> environment = new HashMap<>(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + collector.getAddress().getPort(), "OTEL_BSP_SCHEDULE_DELAY", "60000"));
        if (isConfigured) {
            environment.put("PETSTORE_API_KEY", CONFIGURED);
        }
        try (PetstoreProcess server = PetstoreProcess
                .serve(environment, folder, "--log-format", "json", "--access-log", "true")
                .awaitReady()) {
            String key = isConfigured ? CONFIGURED : server.firstKey().orElseThrow();
            String secret = key.substring(15, 47);
            for (String request : REQUESTS) {
                String text = request.replaceFirst("!", "Authorization: Bearer " + key + "\r\n").replace("?", key)
                        .replace("pets" + key, "pets?" + key);
                assertThat(response(server.port(), text)).as(request).startsWith("HTTP/1.").doesNotContain(secret);
            }
            try (StoreFile file = new StoreFile(folder)) {
                assertThat(file.text("SELECT idempotency_key || owner FROM idempotency")).hasSize(isConfigured ? 0 : 1)
                        .noneMatch(kept -> kept.contains(secret));
            }
            server.terminate();
            assertThat(server.ending().err()).hasSizeGreaterThan(REQUESTS.size() / 2)
                    .noneMatch(line -> line.contains(secret));
            byte[] spans = received.poll(10, TimeUnit.SECONDS);
            assertThat(spans).isNotNull();
            assertThat(new String(spans, StandardCharsets.ISO_8859_1)).contains("/v1/pets").doesNotContain(secret);
        } finally {
            collector.stop(0);
        }
    }

    private static String response(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            String end = request.contains("\r\n\r\n") ? "" : "Host: x\r\n\r\n";
            String text = request.contains("Host:") ? request : request.replace(BODY, "Host: x\r\n" + BODY) + end;
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
