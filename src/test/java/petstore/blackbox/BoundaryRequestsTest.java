package petstore.blackbox;

import java.io.IOException;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.ProbedService;
import petstore.testkit.RawClient;
import petstore.testkit.RawClient.Response;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;

/// Unusual but valid requests, each at the limit of a rule.
class BoundaryRequestsTest {

    private static final String ANIMAL_START = "{\"id\":1,";
    private static final String HOME_START = "{\"name\":";
    private static final String LIST_START = "[{\"id\":1,";
    private static final int MAX_LENGTH = 64 * 1024;

    /// A valid request and its expected result.
    ///
    /// @param bytes each character is one byte
    /// @param expected the new animal without its id, or the start of the response body
    record GoodRequest(String name, String bytes, String expected) {

        @Override
        public String toString() {
            return name;
        }
    }

    static final List<GoodRequest> ADDED = List.of(
            withName("one letter", "a", "a"),
            withName("255 letters", "a".repeat(255), "a".repeat(255)),
            withName("255 code points of two UTF-16 units", "\uD83D\uDE3A".repeat(255), "\uD83D\uDE3A".repeat(255)),
            withName("255 code points as two escapes each", "\\ud83d\\ude3a".repeat(255), "\uD83D\uDE3A".repeat(255)),
            withName("white space around a letter", " \\t a\u3000", " \\t a\u3000"),
            withName("an invisible character that is not white space", "\u200B", "\u200B"),
            withName("the replacement character", "\uFFFD", "\uFFFD"),
            withName("the last code point", "\uDBFF\uDFFF", "\uDBFF\uDFFF"),
            withName("control characters, two of them escaped", "\\u0001\\u001f\u007F", "\\u0001\\u001f\u007F"),
            withName("every short escape", "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\\\"\\\\/\\b\\f\\n\\r\\t"),
            withName("SQL", "'; DROP TABLE pets; --", "'; DROP TABLE pets; --"),
            withCategoryId("7", 7),
            withCategoryId("7.0", 7),
            withCategoryId("70E-1", 7),
            withCategoryId("-0", 0),
            withCategoryId("0e9999999999", 0),
            withCategoryId("-0.00e+9999999999999999999999999", 0),
            withCategoryId("1e00000000000000000000000000002", 100),
            withCategoryId("700000000000000000000000000e-26", 7),
            withCategoryId("0.0000000000000000000000007e25", 7),
            withCategoryId("9223372036854775807", Long.MAX_VALUE),
            withCategoryId("-9223372036854775808", Long.MIN_VALUE),
            withCategoryId("9.223372036854775807e18", Long.MAX_VALUE),
            withCategoryId("1." + "0".repeat(30), 1),
            body("escaped member names", "{\"\\u006eame\":\"a\",\"category\\u0049d\":1}"),
            body("white space everywhere", " \n{\t\"name\" :\r\"a\" , \"categoryId\": 1\n} "),
            body("an id from the client", "{\"id\":99,\"name\":\"a\",\"categoryId\":1}"),
            body("member names in different case", "{\"Name\":1,\"name\":\"a\",\"categoryId\":1,\"STATUS\":null}"),
            body("31 nested arrays", withUnknownMember("[".repeat(31) + "]".repeat(31))),
            body("31 nested objects", withUnknownMember("{\"x\":".repeat(31) + "1" + "}".repeat(31))),
            body("a number of 32 digits in an unknown member", withUnknownMember("1".repeat(32))),
            body("a lone surrogate in an unknown member", withUnknownMember("\"\\ud83d\"")),
            body("the same member name in two objects", withUnknownMember("[{\"y\":1},{\"y\":2}]")),
            body("a member name of 256 characters",
                    "{\"name\":\"a\",\"categoryId\":1,\"" + "x".repeat(256) + "\":1}"),
            body("an empty member name", "{\"name\":\"a\",\"categoryId\":1,\"\":1}"),
            body("64 KiB", padded()),
            added("64 KiB in one chunk", BadRequest.postChunked(padded(), MAX_LENGTH)),
            added("64 KiB in chunks", BadRequest.postChunked(padded(), 1_000)),
            added("chunks of one byte", BadRequest.postChunked(BadRequest.PET, 1)),
            added("a chunk with an extension",
                    BadRequest.postChunked(BadRequest.PET, 100).replace("1b\r\n", "1b;a=\"b\"\r\n")),
            added("a chunk size with leading zeros and capitals",
                    BadRequest.postChunked(BadRequest.PET, 100).replace("1b\r\n", "00000000000000000001B\r\n")),
            added("a trailer", BadRequest.postChunked(BadRequest.PET, 100).replace("0\r\n\r\n", "0\r\nX: a\r\n\r\n")),
            added("chunked in capitals", BadRequest.postChunked(BadRequest.PET, 100).replace("chunked", "CHUNKED")),
            added("a charset", BadRequest.post(BadRequest.PET).replace("/json", "/json; charset=UTF-8")),
            added("the charset utf8", BadRequest.post(BadRequest.PET).replace("/json", "/json;charset=utf8")),
            added("the charset UTF8 in quotes",
                    BadRequest.post(BadRequest.PET).replace("/json", "/json; a=b; CHARSET=\"Utf8\"")),
            added("the charset utf-8 with a quoted pair",
                    BadRequest.post(BadRequest.PET).replace("/json", "/json; charset=\"utf\\-8\"")),
            added("parameters whose names begin with charset",
                    BadRequest.post(BadRequest.PET).replace("/json", "/json; charsets=utf-16; charset2=\"utf-16\"")),
            added("the coding identity", BadRequest.post(BadRequest.PET).replace("/json",
                    "/json\r\nContent-Encoding: Identity")),
            added("the coding identity twice", BadRequest.post(BadRequest.PET).replace("/json",
                    "/json\r\nContent-Encoding: identity,IDENTITY\r\nContent-Encoding: identity")),
            added("empty codings", BadRequest.post(BadRequest.PET).replace("/json",
                    "/json\r\nContent-Encoding:\r\nContent-Encoding: ,identity,\t ,")),
            added("semicolons in a quoted parameter", BadRequest.post(BadRequest.PET).replace("/json",
                    "/json;a=\"b;charset=utf-16;\\\";charset=utf-16\";charset=utf-8")),
            added("a space before the semicolon",
                    BadRequest.post(BadRequest.PET).replace("/json", "/json ; charset=utf-8")),
            added("a content type in capitals",
                    BadRequest.post(BadRequest.PET).replace("application/json", "APPLICATION/JSON")),
            added("white space around Content-Length",
                    BadRequest.post(BadRequest.PET).replace("Length: 27", "Length: \t 27 \t")),
            added("a Content-Length with leading zeros",
                    BadRequest.post(BadRequest.PET).replace("Length: 27", "Length: 0027")),
            added("Expect, which HTTP/1.0 does not define", http10(expecting("100-continue"))),
            added("an unknown expectation in HTTP/1.0", http10(expecting("200-ok"))),
            added("an empty Expect", expecting("")),
            added("an Expect of commas", expecting(" , ,\t,\r\nExpect: ")));

    static final List<GoodRequest> READ = List.of(
            read("the scheme in lower case", BadRequest.get("/v1/pets").replace("Bearer", "bearer"), LIST_START),
            read("the scheme in capitals", BadRequest.get("/v1/pets").replace("Bearer", "BEARER"), LIST_START),
            read("two spaces after the scheme", BadRequest.get("/v1/pets").replace("Bearer", "Bearer "), LIST_START),
            read("a percent-encoded id", BadRequest.get("/v1/pets/%31"), ANIMAL_START),
            read("an id and a query", BadRequest.get("/v1/pets/1?x=%zz"), ANIMAL_START),
            read("an empty query", BadRequest.get("/v1/pets?"), LIST_START),
            read("a query of only separators", BadRequest.get("/v1/pets?&&=&=1&"), LIST_START),
            read("limit=1", BadRequest.get("/v1/pets?limit=1"), LIST_START),
            read("limit=100", BadRequest.get("/v1/pets?limit=100"), LIST_START),
            read("a percent-encoded name and value", BadRequest.get("/v1/pets?%6Cimit=%31"), LIST_START),
            read("the smallest after", BadRequest.get("/v1/pets?after=-9223372036854775808"), LIST_START),
            read("after=-0", BadRequest.get("/v1/pets?after=-0"), LIST_START),
            read("the greatest after", BadRequest.get("/v1/pets?after=9223372036854775807"), "[]"),
            read("unknown parameters", BadRequest.get("/v1/pets?Limit=0&offset=x&limit[]=0&x=1&x=2"), LIST_START),
            read("a query of 4,000 bytes", BadRequest.get("/v1/pets?x=" + "a".repeat(4_000)), LIST_START),
            read("a header block of 8,000 bytes", BadRequest.get("/v1/pets").replace("Host",
                    "X: " + "a".repeat(7_850) + "\r\nHost"), LIST_START),
            read("an absolute target", BadRequest.get("http://petstore/v1/pets?limit=1"), LIST_START),
            read("an absolute target in capitals", BadRequest.get("HTTP://PETSTORE:80/v1/pets/1"), ANIMAL_START),
            read("an absolute target of https", BadRequest.get("https://petstore:443/v1/pets/1"), ANIMAL_START),
            read("an absolute target without a path", BadRequest.get("http://petstore"), HOME_START),
            read("an absolute target with an empty path and a query", BadRequest.get("HTTP://petstore:80?limit=1"),
                    HOME_START),
            read("an absolute target with a slash in the query", BadRequest.get("http://petstore?x=/v1/pets"),
                    HOME_START),
            read("an absolute target with a URL in the query", BadRequest.get("http://petstore/v1/pets?x=http://a/b?c"),
                    LIST_START),
            read("an absolute target and another Host", BadRequest.get("http://[::1]:9/v1/pets/1"), ANIMAL_START),
            read("an absolute target in HTTP/1.0 without Host",
                    "GET http://petstore/v1/pets/1 HTTP/1.0\r\n" + BadRequest.KEY + "\r\n", ANIMAL_START),
            read("HTTP/1.0", BadRequest.get("/v1/pets/1").replace("HTTP/1.1", "HTTP/1.0"), ANIMAL_START),
            read("HTTP/1.0 without Host", "GET /v1/pets/1 HTTP/1.0\r\n" + BadRequest.KEY + "\r\n", ANIMAL_START),
            read("an empty Host", BadRequest.get("/v1/pets/1").replace("petstore", ""), ANIMAL_START),
            read("an IPv6 Host", BadRequest.get("/v1/pets/1").replace("petstore", "[::1]:8080"), ANIMAL_START),
            read("leading empty lines", "\r\n\r\n" + BadRequest.get("/v1/pets/1"), ANIMAL_START),
            // RFC 9112 section 5.2 lets a server read a line break in a field as a space.
            read("a folded field", BadRequest.get("/v1/pets/1").replace("Host", "X: a\r\n b\r\nHost"), ANIMAL_START),
            read("bytes above ASCII in a value", BadRequest.get("/v1/pets/1").replace("Host", "X: \u00E9\r\nHost"),
                    ANIMAL_START),
            read("1,000 empty fields", BadRequest.get("/v1/pets/1").replace("Host", "X:\r\n".repeat(1_000) + "Host"),
                    ANIMAL_START),
            read("a GET with a body", BadRequest.post(BadRequest.PET).replace("POST /v1/pets", "GET /v1/pets/1"),
                    ANIMAL_START),
            read("a request to upgrade to HTTP/2", BadRequest.get("/v1/pets/1").replace("Host",
                    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nHost"),
                    ANIMAL_START),
            read("a request to upgrade to WebSocket", BadRequest.get("/v1/pets/1").replace("Host",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nHost"),
                    ANIMAL_START),
            read("malformed conditions and a range", BadRequest.get("/v1/pets/1").replace("Host",
                    "If-None-Match: \"\r\nIf-Modified-Since: never\r\nRange: bytes=9-\r\nHost"), ANIMAL_START),
            read("an unacceptable media type and coding", BadRequest.get("/v1/pets/1").replace("Host",
                    "Accept: text/html;q=x,,\r\nAccept-Encoding: identity;q=0\r\nHost"), ANIMAL_START));

    /// `Connection` fields of a request that close the connection after the response.
    static final List<String> CLOSING = List.of("close", "CLOSE", "TE, close", "close, TE", "te,Close,x",
            "TE,\tclose\t,", ",, close", "keep-alive, close", "TE\r\nConnection: close",
            "close\r\nConnection: TE", "TE\r\nConnection: x, close");

    /// `Connection` fields that keep the connection open.
    static final List<String> KEEPING = List.of("", "keep-alive", "TE", "TE, keep-alive", "c", "clos", "closed",
            "x, clos, y", "not-close", "close;x", "close x", "\"close\"");

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource("ADDED")
    void addsAnimal(GoodRequest request) throws IOException {
        try (RawClient client = service.connect()) {
            Response response = client.send(request.bytes()).response().orElseThrow();
            assertThat(response.status()).as(response.body()).isEqualTo(201);
            String target = "/v1/pets/" + ServedContract.json(response.body()).get("id");
            assertThat(response.headers().get("location")).containsExactly(target);
            String stored = service.client().get(target).body();
            assertThat(ServedContract.json(stored)).isEqualTo(ServedContract.json(response.body()));
            JsonNode expected = ServedContract.json(request.expected());
            expected.fieldNames().forEachRemaining(member -> assertThat(ServedContract.json(stored).get(member))
                    .as(member).isEqualTo(expected.get(member)));
        }
    }

    @ParameterizedTest
    @FieldSource("READ")
    void returnsAnimals(GoodRequest request) throws IOException {
        try (RawClient client = service.connect()) {
            Response response = client.send(request.bytes()).response().orElseThrow();
            assertThat(response.status()).as(response.body()).isEqualTo(200);
            assertThat(response.body()).startsWith(request.expected());
        }
    }

    @ParameterizedTest
    @FieldSource("CLOSING")
    void closesConnectionAfterResponse(String options) throws IOException {
        try (RawClient client = service.connect()) {
            client.send(connection(options) + connection(""));
            Response response = client.response().orElseThrow();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.headers().get("connection")).containsExactly("close");
            assertThat(client.response()).isEmpty();
        }
    }

    @ParameterizedTest
    @FieldSource("KEEPING")
    void keepsConnectionOpen(String options) throws IOException {
        try (RawClient client = service.connect()) {
            client.send(connection(options));
            assertThat(client.response().orElseThrow().headers()).doesNotContainKey("connection");
            client.send(connection(options));
            assertThat(client.response().orElseThrow().status()).isEqualTo(200);
        }
    }

    /// HTTP/1.0 closes the connection unless the request has `keep-alive`. The response says which: it is one of HTTP/1.1, and a proxy
    /// would send its next request on a connection that closes.
    @ParameterizedTest
    @CsvSource({"TE, false", "close, false", "keep-alive, true", "keep-alive!close, false",
            "keep-alive!x!close, false"})
    void keepsHttp10ConnectionOpenOnlyForKeepAlive(String fields, boolean kept) throws IOException {
        String request = connection(fields.replace("!", "\r\nConnection: ")).replace("HTTP/1.1", "HTTP/1.0");
        try (RawClient client = service.connect()) {
            client.send(request + request);
            Response response = client.response().orElseThrow();
            assertThat(response.headers().getOrDefault("connection", List.of()))
                    .isEqualTo(kept ? List.of("keep-alive") : List.of("close"));
            assertThat(client.response().isPresent()).isEqualTo(kept);
        }
    }

    /// Netty expects eight bytes after the fields of an old version of web sockets.
    @Test
    void announcesNoBodyByFieldsOfWebSockets() throws IOException {
        try (RawClient client = service.connect()) {
            String request = connection("keep-alive").replaceFirst("\r\n",
                    "\r\nSec-WebSocket-Key1: a\r\nSec-WebSocket-Key2: b\r\n");
            for (int i = 0; i < 2; i++) {
                assertThat(client.send(request).response().orElseThrow().status()).isEqualTo(200);
            }
        }
    }

    private static String expecting(String expectations) {
        return BadRequest.post(BadRequest.PET).replace("Content-Length",
                "Expect: " + expectations + "\r\nContent-Length");
    }

    private static String http10(String request) {
        return request.replace("HTTP/1.1", "HTTP/1.0");
    }

    private static String connection(String options) {
        return BadRequest.get("/v1/pets/1").replace("Host", "Connection: " + options + "\r\nHost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"100-continue", "100-CONTINUE", "100-continue, 100-continue", ",100-continue\t,",
            "100-continue\r\nExpect: 100-Continue", "\r\nExpect: 100-continue", "100-continue\r\nExpect: ,"})
    void sends100ContinueBeforeBodyIsSent(String expectations) throws IOException {
        String request = expecting(expectations);
        int bodyAt = request.indexOf(BadRequest.PET);
        try (RawClient client = service.connect()) {
            client.send(request.substring(0, bodyAt));
            assertThat(client.response().orElseThrow().status()).isEqualTo(100);
            client.send(BadRequest.PET);
            assertThat(client.response().orElseThrow().status()).isEqualTo(201);
        }
    }

    private static GoodRequest read(String name, String request, String expected) {
        return new GoodRequest(name, request, expected);
    }

    private static GoodRequest added(String name, String request) {
        return new GoodRequest(name, request, BadRequest.PET);
    }

    private static GoodRequest body(String name, String body) {
        return added(name, BadRequest.post(BadRequest.utf8(body)));
    }

    private static GoodRequest withName(String name, String sent, String stored) {
        return new GoodRequest("name: " + name,
                BadRequest.post(BadRequest.utf8("{\"name\":\"" + sent + "\",\"categoryId\":1}")),
                "{\"name\":\"" + stored + "\",\"categoryId\":1}");
    }

    private static GoodRequest withCategoryId(String sent, long stored) {
        return new GoodRequest("categoryId: " + sent, BadRequest.post("{\"name\":\"a\",\"categoryId\":" + sent + "}"),
                "{\"name\":\"a\",\"categoryId\":" + stored + "}");
    }

    private static String withUnknownMember(String value) {
        return "{\"name\":\"a\",\"categoryId\":1,\"x\":" + value + "}";
    }

    private static String padded() {
        return withUnknownMember('"' + "x".repeat(MAX_LENGTH - withUnknownMember("\"\"").length()) + '"');
    }
}
