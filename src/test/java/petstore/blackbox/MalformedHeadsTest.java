package petstore.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.testkit.ProbedService;
import petstore.testkit.RawClient.Response;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;

/// Requests whose head violates RFC 9112 sections 2 to 5. With or without a key, the service refuses them and closes the connection.
class MalformedHeadsTest {

    private static final String GET = "GET /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + BadRequest.KEY;
    private static final String TLS_CLIENT_HELLO = new String(
            Base64.getDecoder().decode("FgMBADwBAAA4AwMAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHwAAAhMBAQAADQAKAAgI"),
            StandardCharsets.ISO_8859_1);

    static final List<BadRequest> REQUEST_LINES = List.of(
            line("GET /v1/pets"),
            line("GET"),
            line("/v1/pets HTTP/1.1"),
            line("GET /v1/pets HTTP/0.9"),
            line("GET /v1/pets HTTP/1.2"),
            line("GET /v1/pets HTTP/2.0"),
            line("GET /v1/pets HTTP/999999999999.1"),
            line("GET /v1/pets HTTP/1.1.1"),
            line("GET /v1/pets HTTP/1.1 "),
            line("GET /v1/pets HTTP/1.1\0"),
            line("GET /v1/pets http/1.1"),
            line("GET /v1/pets RTSP/1.0"),
            line("GET /v1/pets?status=available or sold HTTP/1.1"),
            line("GET v1/pets HTTP/1.1"),
            line("GET ?limit=1 HTTP/1.1"),
            line("GET * HTTP/1.1"),
            line("GET petstore:80 HTTP/1.1"),
            line("CONNECT petstore:80 HTTP/1.1"),
            line("GET ftp://petstore/v1/pets HTTP/1.1"),
            line("GET http:///v1/pets HTTP/1.1"),
            line("GET http://a:b@petstore/v1/pets HTTP/1.1"),
            line("GET http://a@petstore?limit=1 HTTP/1.1"),
            line("GET http://?limit=1 HTTP/1.1"),
            line("GET http:// HTTP/1.1"),
            line("GET http:petstore HTTP/1.1"),
            line("GET http:/petstore/v1/pets HTTP/1.1"),
            line("GET http://petstore#x HTTP/1.1"),
            line("GET ftp://petstore?limit=1 HTTP/1.1"),
            line("GET /v1/pets\0 HTTP/1.1"),
            line("GET /v1/pets?limit=1\u0001 HTTP/1.1"),
            line("GET /v1/pets\u007F HTTP/1.1"),
            line("GET /v1/pets/\u00E9 HTTP/1.1"),
            line("G@T /v1/pets HTTP/1.1"),
            line("GET: /v1/pets HTTP/1.1"));

    static final List<BadRequest> FIELDS = List.of(
            BadRequest.of("no Host", "GET /v1/pets HTTP/1.1\r\n" + BadRequest.KEY + "\r\n"),
            BadRequest.of("no Host beside an absolute target",
                    "GET http://petstore/v1/pets HTTP/1.1\r\n" + BadRequest.KEY + "\r\n"),
            BadRequest.of("Host twice", GET + BadRequest.HOST + "\r\n"),
            BadRequest.of("Host twice in HTTP/1.0", GET.replace("HTTP/1.1", "HTTP/1.0") + BadRequest.HOST + "\r\n"),
            host("a space", "pet store"),
            host("a path", "petstore/v1"),
            host("a port above 65535", "petstore:65536"),
            host("no closing bracket", "[::1"),
            host("three IPv6 groups", "[1:2:3]"),
            line("GET http://[1:2:3]/v1/pets HTTP/1.1"),
            line("GET http://petstore:65536/v1/pets HTTP/1.1"),
            line("GET http://:80/v1/pets HTTP/1.1"),
            field("no colon", "X\r\n"),
            field("no name", ": a\r\n"),
            field("a space after the name", "X : a\r\n"),
            field("a space in the name", "X Y: a\r\n"),
            field("a non-ASCII byte in the name", "X\u00E9: a\r\n"),
            field("NUL in the name", "X\0: a\r\n"),
            field("NUL in the value", "X: a\0b\r\n"),
            field("a control character in the value", "X: a\u0001\r\n"),
            field("DEL in the value", "X: a\u007F\r\n"),
            field("a vertical tab before the value", "X: \u000Ba\r\n"),
            field("a bare carriage return in the value", "X: a\rb\r\n"),
            field("a bare line feed and another field", "X: a\nContent-Length: 5\r\n"),
            field("a bare line feed after a field", "X: a\n"),
            field("a bare line feed at the end", "X: a\r\n\n"),
            BadRequest.of("a space before the first field",
                    "GET /v1/pets HTTP/1.1\r\n X: a\r\n" + BadRequest.HOST + "\r\n"),
            BadRequest.of("a tab before the first field",
                    "GET /v1/pets HTTP/1.1\r\n\tX: a\r\n" + BadRequest.HOST + "\r\n"),
            BadRequest.of("only bare line feeds", (GET + "\r\n").replace("\r", "")),
            BadRequest.of("a bare line feed after the request line", GET.replaceFirst("\r", "") + "\r\n"));

    static final List<BadRequest> SIZES = List.of(
            new BadRequest("a query of 4 KiB", BadRequest.get("/v1/pets?x=" + "a".repeat(4_096)), 414,
                    "invalid_request"),
            new BadRequest("a path of 100,000 characters", BadRequest.get("/" + "a".repeat(100_000)), 414,
                    "invalid_request"),
            new BadRequest("a method of 100,000 characters", "G".repeat(100_000) + " / HTTP/1.1\r\n\r\n", 414,
                    "invalid_request"),
            new BadRequest("a version of 5,000 characters", "GET / HTTP/1." + "1".repeat(5_000) + "\r\n\r\n", 414,
                    "invalid_request"),
            new BadRequest("an unterminated request line", "x".repeat(5_000), 414, "invalid_request"),
            new BadRequest("a value of 8 KiB", GET + "X: " + "a".repeat(8_192) + "\r\n\r\n", 431, "invalid_request"),
            new BadRequest("a value of 100,000 characters", GET + "X: " + "a".repeat(100_000) + "\r\n\r\n", 431,
                    "invalid_request"),
            new BadRequest("a name of 9,000 characters", GET + "X".repeat(9_000) + ": a\r\n\r\n", 431,
                    "invalid_request"),
            new BadRequest("5,000 fields", GET + "X: a\r\n".repeat(5_000) + "\r\n", 431, "invalid_request"),
            new BadRequest("an unterminated header block", GET + "X: a\r\n".repeat(3_000), 431,
                    "invalid_request"),
            new BadRequest("a folded value of 10,000 characters", GET + "X: a\r\n" + (" " + "a".repeat(98) + "\r\n")
                    .repeat(100) + "\r\n", 431, "invalid_request"));

    static final List<BadRequest> OTHER_PROTOCOLS = List.of(
            BadRequest.of("HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0"),
            BadRequest.of("TLS", TLS_CLIENT_HELLO),
            BadRequest.of("SSH", "SSH-2.0-OpenSSH_9.9\r\n"),
            BadRequest.of("a PROXY protocol header", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + GET + "\r\n"),
            BadRequest.of("non-ASCII bytes", "\u0080\u00FF\u00FE\u00C3\r\n\r\n"));

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource({"REQUEST_LINES", "FIELDS", "SIZES", "OTHER_PROTOCOLS"})
    void refusesRequestAndClosesConnection(BadRequest request) throws IOException {
        service.refusesAndCloses(request);
    }

    /// The second request is valid and would succeed on a new connection.
    @ParameterizedTest
    @CsvSource({"GET /v1/pets HTTP/3.7", "GET * HTTP/1.1", "GET /v1/pets HTTP/0.9", "GET /v1/pets", "PRI * HTTP/2.0"})
    void ignoresRequestAfterMalformedHead(String requestLine) throws IOException {
        service.refusesAndCloses(
                BadRequest.of("", requestLine + "\r\n" + BadRequest.HOST + "\r\n" + BadRequest.post(BadRequest.PET)));
    }

    @Test
    void namesEveryViolation() throws IOException {
        Response response = service.refusesAndCloses(BadRequest.of("", "GET pets HTTP/1.2\r\n\r\n"));
        assertThat(ServedContract.json(response.body()).get("message").asText())
                .isEqualTo("the protocol must be HTTP/1.1 or HTTP/1.0;"
                        + " the request target must be a path or an http URL, in visible ASCII characters;"
                        + " there must be one Host field, a host with or without a port");
    }

    private static BadRequest line(String requestLine) {
        return BadRequest.of(requestLine, requestLine + "\r\n" + BadRequest.HOST + BadRequest.KEY + "\r\n");
    }

    private static BadRequest host(String name, String host) {
        return BadRequest.of("Host with " + name,
                "GET /v1/pets HTTP/1.1\r\nHost: " + host + "\r\n" + BadRequest.KEY + "\r\n");
    }

    private static BadRequest field(String name, String field) {
        return BadRequest.of(name, GET + field + "\r\n");
    }
}
