package petstore.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import petstore.KeyToken;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/// Bodies that the service refuses or does not need. A client that sends the whole body first can still read the response.
class RefusedBodyTest extends AbstractServiceTest {

    private static final int MEBIBYTE = 1024 * 1024;
    private static final int LENGTH = 5 * MEBIBYTE;
    private static final String KEY = "Authorization: Bearer " + TestService.KEY + "\r\n";
    private static final String UNKNOWN_KEY = new KeyToken("a".repeat(10), "b".repeat(32)).text();
    private static final String JSON = "Content-Type: application/json\r\n";
    private static final String GOOD = "GET /v1/pets HTTP/1.1\r\nHost: x\r\n" + KEY + "\r\n";

    static Stream<Arguments> unwanted() {
        return Stream.of(
                argumentSet("too long", "POST /v1/pets", KEY + JSON, 413),
                argumentSet("no key", "POST /v1/pets", JSON, 401),
                argumentSet("an unknown key", "POST /v1/pets",
                        "Authorization: Bearer " + UNKNOWN_KEY + "\r\n" + JSON, 401),
                argumentSet("not JSON", "POST /v1/pets", KEY + "Content-Type: text/plain\r\n", 415),
                argumentSet("an unknown path", "PUT /nothing", KEY, 404),
                argumentSet("an unsupported method", "PUT /v1/pets", KEY, 405),
                argumentSet("a GET with a body", "GET /v1/pets", KEY, 200));
    }

    @ParameterizedTest
    @MethodSource("unwanted")
    void returnsResponseAfterWholeBodyIsSent(String line, String headers, int status) throws IOException {
        String start = line + " HTTP/1.1\r\nHost: x\r\n" + headers;
        try (RawClient client = new RawClient(service.port())) {
            client.send(start + "Content-Length: " + LENGTH + "\r\n\r\n").send(new byte[LENGTH]);
            assertThat(client.response().orElseThrow().status()).isEqualTo(status);
            client.send(start + "Transfer-Encoding: chunked\r\n\r\n").send(chunks());
            assertThat(client.response().orElseThrow().status()).isEqualTo(status);
            assertThat(client.send(GOOD).response().orElseThrow().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @MethodSource("unwanted")
    void returnsResponseBeforeClosingConnection(String line, String headers, int status) throws IOException {
        try (RawClient client = new RawClient(service.port())) {
            client.send(line + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "Content-Length: " + LENGTH
                    + "\r\n\r\n").send(new byte[LENGTH]);
            assertThat(client.response().orElseThrow().status()).isEqualTo(status);
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (RawClient client = new RawClient(service.port())) {
            client.send(line + " HTTP/1.0\r\n" + headers + "Content-Length: " + LENGTH + "\r\n\r\n")
                    .send(new byte[LENGTH]);
            assertThat(client.response().orElseThrow().status()).isEqualTo(status);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /// Without its body, and on any path. A body that was sent is dropped, so that the client can read the response.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST | /v1/pets | 200-ok
            POST | /v1/pets | 100-continue, 200-ok
            POST | /v1/pets | 200-ok, 100-continue
            POST | /v1/pets | 100-continue;x
            POST | /v1/pets | 100-continue=1
            POST | /v1/pets | "100-continue"
            POST | /v1/pets | 100-continue 100-continue
            POST | /v1/pets | 100-continue!Expect: 200-ok
            POST | /v1/pets | !Expect: a="b,c"
            GET  | /v1/pets | 200-ok
            GET  | /livez   | 200-ok
            GET  | /        | 200-ok
            HEAD | /v1/pets | 200-ok
            OPTIONS | *     | 200-ok
            """)
    void returns417ForUnknownExpectation(String method, String path, String expectations) throws IOException {
        String head = method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + KEY + "Expect: "
                + expectations.replace("!", "\r\n") + "\r\nContent-Length: ";
        for (int length : new int[]{0, 36, 70_000, LENGTH}) {
            for (boolean sent : new boolean[]{false, true}) {
                try (RawClient client = new RawClient(service.port())) {
                    client.send(head + length + "\r\n\r\n");
                    if (sent) {
                        client.send(new byte[length]);
                    }
                    RawClient.Response response = client.response(method).orElseThrow();
                    ServedContract.verify(method, path, response.status(), response.headers(), response.body());
                    assertThat(response.status()).isEqualTo(417);
                    assertThat(response.headers().get("connection")).containsExactly("close");
                    if (method.equals("HEAD")) {
                        assertThat(client.socket().getInputStream().readAllBytes()).isEmpty();
                    } else {
                        assertThat(response.body()).contains("\"expectation_failed\"");
                        assertThat(client.isClosedByServer()).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void addsNothingAfterUnknownExpectation() throws IOException {
        String pet = "{\"name\":\"Whiskers\",\"categoryId\":7}";
        String head = "POST /v1/pets HTTP/1.1\r\nHost: x\r\n" + KEY + JSON;
        String length = "Content-Length: " + pet.length() + "\r\n\r\n";
        for (String expecting : new String[]{"Content-Length: 0\r\n\r\n", length + pet}) {
            try (RawClient client = new RawClient(service.port())) {
                client.send(head + "Expect: 200-ok\r\n" + expecting + head + length + pet);
                assertThat(client.response().orElseThrow().status()).isEqualTo(417);
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
        assertThat(service.client().get("/v1/pets").body()).isEqualTo("[]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST | /v1/pets | Authorization: no | 401
            GET  | /v1/x    | X: a              | 404
            GET  | /x       | X: a              | 404
            PUT  | /v1/pets | X: a              | 405
            """)
    void checksExpectationAfterKeyAndRoute(String method, String path, String field, int status) throws IOException {
        try (RawClient client = new RawClient(service.port())) {
            client.send(method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + (status == 401 ? "" : KEY) + field
                    + "\r\nExpect: 200-ok\r\nContent-Length: 36\r\n\r\n");
            assertThat(client.response().orElseThrow().status()).isEqualTo(status);
        }
    }

    @Test
    void limitsDiscardedBytesOfRefusedBody() throws IOException {
        try (RawClient client = new RawClient(service.port())) {
            client.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: " + (1L << 40) + "\r\n\r\n");
            Optional<RawClient.Response> response = client.response();
            assertThat(response.orElseThrow().status()).isEqualTo(401);
            byte[] mebibyte = new byte[MEBIBYTE];
            int sent = 0;
            try {
                while (sent < 64) {
                    client.send(mebibyte);
                    sent++;
                }
            } catch (IOException e) {
                assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
            }
            assertThat(sent).isLessThan(64);
        }
    }

    private static byte[] chunks() {
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        return (chunk.repeat(LENGTH / 0x10000) + "0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }
}
