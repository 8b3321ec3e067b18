package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Cross-origin requests as browsers send them (CORS).
class CorsTest {

    private static final String SHOP = "https://shop.example";
    private static final String KEY = "Authorization: Bearer " + TestService.KEY + "\r\n";
    private static final String REQUEST_METHOD = "Access-Control-Request-Method: POST\r\n";

    @TempDir
    private static Path folder;
    @AutoClose
    private static TestService service;

    @BeforeAll
    static void start() {
        service = TestService.start(folder.resolve("with"), Clock.systemUTC(),
                http -> http.corsOrigins(SHOP, "http://localhost:3000"));
    }

    private static RawClient.Response send(TestService to, String line, String... fields) throws IOException {
        try (RawClient client = new RawClient(to.port())) {
            return client.send(line + " HTTP/1.1\r\nHost: x\r\n" + String.join("", fields) + "\r\n").response()
                    .orElseThrow();
        }
    }

    private static String origin(String origin) {
        return "Origin: " + origin + "\r\n";
    }

    @Test
    void letsAllowedOriginReadEveryResponse() throws IOException {
        List<RawClient.Response> responses = List.of(send(service, "GET /v1/pets", KEY, origin(SHOP)),
                send(service, "GET /v1/pets", origin(SHOP)), send(service, "GET /v1/pets?limit=0", KEY, origin(SHOP)),
                send(service, "GET /nothing", origin(SHOP)), send(service, "PUT /v1/pets", KEY, origin(SHOP)),
                send(service, "GET /v1/pets", KEY, origin(SHOP), "Bad Name: x\r\n"),
                send(service, "GET nothing", KEY, origin(SHOP)), send(service, "GET /v1/pets/1", KEY, origin(SHOP)));
        assertThat(responses.stream().map(RawClient.Response::status)).containsExactly(200, 401, 400, 404, 405, 400,
                400,
                404);
        for (RawClient.Response response : responses) {
            Map<String, List<String>> headers = response.headers();
            assertThat(headers.get("access-control-allow-origin")).as("%s", response).containsExactly(SHOP);
            assertThat(headers.get("access-control-expose-headers")).containsExactly(
                    "Accept-Encoding, Allow, Link, Location, ETag, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset,"
                            + " Idempotent-Replayed, WWW-Authenticate, X-Request-Id");
            assertThat(headers.get("vary")).contains("Origin");
            assertThat(headers).doesNotContainKeys("access-control-allow-credentials", "strict-transport-security");
        }
    }

    @Test
    void sendsNoCorsHeadersToOtherOrigins() throws IOException {
        for (String other : List.of("https://shop.example.evil.example", "http://shop.example",
                "https://shop.example:444", "https://SHOP.example", "null", "*")) {
            RawClient.Response response = send(service, "GET /v1/pets", KEY, origin(other));
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.headers()).doesNotContainKeys("access-control-allow-origin",
                    "access-control-expose-headers");
            assertThat(response.headers().get("vary")).contains("Origin");
            assertThat(send(service, "OPTIONS /v1/pets", origin(other), REQUEST_METHOD).status()).isEqualTo(401);
        }
        assertThat(send(service, "GET /v1/pets", KEY).headers().get("vary")).containsExactly("Authorization", "Origin");
    }

    @Test
    void respondsToPreflightWithoutKey() throws IOException {
        RawClient.Response response = send(service, "OPTIONS /v1/pets", origin("http://localhost:3000"), REQUEST_METHOD,
                "Access-Control-Request-Headers: authorization,content-type\r\n");
        assertThat(response.status()).isEqualTo(204);
        assertThat(response.headers().get("access-control-allow-origin")).containsExactly("http://localhost:3000");
        assertThat(response.headers().get("access-control-allow-methods")).containsExactly("GET, HEAD, POST");
        assertThat(response.headers().get("access-control-allow-headers")).containsExactly(
                "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent,"
                        + " tracestate");
        assertThat(response.headers()).containsKey("access-control-max-age");
        RawClient.Response unmet = send(service, "OPTIONS /v1/pets", origin(SHOP), REQUEST_METHOD,
                "Expect: 200-ok\r\n");
        assertThat(unmet.status()).isEqualTo(417);
        assertThat(unmet.headers().get("connection")).containsExactly("close");
        assertThat(unmet.headers().get("access-control-allow-origin")).containsExactly(SHOP);
        assertThat(send(service, "OPTIONS /v1/pets", origin(SHOP), REQUEST_METHOD, "Expect: 100-continue\r\n").status())
                .isEqualTo(204);
        assertThat(send(service, "OPTIONS /v1/pets", origin(SHOP)).status()).as("not a preflight").isEqualTo(401);
        assertThat(send(service, "OPTIONS /v1/pets", origin(SHOP), KEY).status()).as("not a preflight").isEqualTo(405);
        assertThat(send(service, "OPTIONS /v1/pets", REQUEST_METHOD).status()).as("without Origin").isEqualTo(401);
        assertThat(send(service, "GET /v1/pets", origin(SHOP), REQUEST_METHOD).status()).as("not OPTIONS")
                .isEqualTo(401);
    }

    @Test
    void recordsRouteOfPreflightInMetrics() throws IOException {
        send(service, "OPTIONS /v1/pets/1", origin(SHOP), REQUEST_METHOD);
        service.awaitNoRequest();
        assertThat(new ApiClient(service.adminPort(), "").get("/metrics").body()).contains(
                "http_request_method=\"OPTIONS\",http_response_status_code=\"204\",http_route=\"/v1/pets/{petId}\"");
    }

    @Test
    void sendsNoCorsHeadersByDefault(@TempDir Path other) throws IOException {
        try (TestService plain = TestService.start(other)) {
            RawClient.Response response = send(plain, "GET /v1/pets", KEY, origin(SHOP));
            assertThat(response.headers()).doesNotContainKeys("access-control-allow-origin",
                    "strict-transport-security");
            assertThat(response.headers().get("vary")).containsExactly("Authorization");
            assertThat(send(plain, "OPTIONS /v1/pets", origin(SHOP), REQUEST_METHOD).status()).isEqualTo(401);
        }
    }
}
