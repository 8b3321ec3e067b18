package petstore.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.testkit.ProbedService;
import petstore.testkit.RawClient;
import petstore.testkit.RawClient.Response;

import static org.assertj.core.api.Assertions.assertThat;

/// Well-formed requests with an invalid query, an unknown id or path, or a method that is not allowed.
class BadTargetsTest {

    static final List<BadRequest> QUERIES = List.of(
            query("limit=0"),
            query("limit=-1"),
            query("limit=-0"),
            query("limit=101"),
            query("limit=2147483648"),
            query("limit=4294967297"),
            query("limit=" + "1".repeat(3_000)),
            query("limit="),
            query("limit"),
            query("limit=abc"),
            query("limit=1.0"),
            query("limit=05"),
            query("limit=+5"),
            query("limit=%205"),
            query("limit=%35%zz"),
            query("limit=%"),
            query("limit=%FF"),
            query("limit=%D9%A5"),
            query("limit=5;status=sold"),
            query("limit=5%26status=sold"),
            query("limit=5&limit=6"),
            query("limit=5&%6Cimit=5"),
            query("&limit=0&"),
            query("status="),
            query("status=lost"),
            query("status=SOLD"),
            query("status=sold%20"),
            query("status=sold+"),
            query("status=s%C0%AFold"),
            query("status=available,sold"),
            query("status=sold&status=available"),
            query("status=sold&st%61tus=sold"),
            query("after=abc"),
            query("after="),
            query("after=9223372036854775808"),
            query("after=-9223372036854775809"),
            query("after=" + "9".repeat(3_000)),
            query("after=1&after=1"),
            query("limit=0&status=lost&after=x"));

    static final List<BadRequest> IDS = List.of(
            id("0"),
            id("-0"),
            id("-1"),
            id("2"),
            id("9223372036854775807"),
            id("9223372036854775808"),
            id("9".repeat(3_000)),
            id("abc"),
            id("1.0"),
            id("01"),
            id("+1"),
            id("%201"),
            id("1%00"),
            id("%"),
            id("%zz"),
            id("%FF"),
            id("%C0%B1"),
            id("%D9%A1"),
            id("1%2F"),
            id("%2E%2E"),
            id(".."),
            id("1;v=2"),
            id("1#1"),
            id("1%3Flimit=1"));

    static final List<BadRequest> PATHS = List.of(
            path("/v1"),
            path("/v1/"),
            path("/v1/PETS"),
            path("/v1/pets/"),
            path("/v1//pets"),
            path("/v1/./pets"),
            path("/v1/pets/1/"),
            path("/v1/pets/1/name"),
            path("/v1/pets/../pets"),
            path("/v1/%70ets"),
            path("/v1/pets;v=1"),
            path("/v1/pets%3Flimit=1"),
            path("/v1/pets%00"),
            path("/v1/" + "x/".repeat(1_900)),
            path("/V1/pets"),
            path("//v1/pets"),
            path("/v2/pets"),
            path("/docs/"),
            path("/page/"),
            path("/page/../1.sql"),
            path("/page/%2e%2e%2fdocs%2fdocs.js"),
            path("/metrics"),
            path("/docs/../openapi.yaml"),
            path("/docs/%2e%2e%2fopenapi.yaml"),
            path("/docs/index.html"),
            path("/docs/..%5Cindex.html"),
            path("/etc/passwd"),
            path("/%"),
            path("http://petstore/v2/pets"),
            path("http://petstore//v1/pets"),
            path("https://petstore/x?/v1/pets"),
            new BadRequest("DELETE /v1/pets/", BadRequest.get("/v1/pets/").replace("GET", "DELETE"), 404,
                    "not_found"),
            new BadRequest("DELETE /v1/pets/1/name", BadRequest.get("/v1/pets/1/name").replace("GET", "DELETE"), 404,
                    "not_found"));

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource({"QUERIES", "IDS", "PATHS"})
    void refusesTarget(BadRequest request) throws IOException {
        service.refuses(request);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PUT      | /v1/pets      | GET, HEAD, POST
            PATCH    | /v1/pets      | GET, HEAD, POST
            DELETE   | /v1/pets      | GET, HEAD, POST
            OPTIONS  | /v1/pets      | GET, HEAD, POST
            TRACE    | /v1/pets      | GET, HEAD, POST
            CONNECT  | /v1/pets      | GET, HEAD, POST
            PROPFIND | /v1/pets      | GET, HEAD, POST
            get      | /v1/pets      | GET, HEAD, POST
            Post     | /v1/pets      | GET, HEAD, POST
            GETS     | /v1/pets      | GET, HEAD, POST
            !#$%&'*+ | /v1/pets      | GET, HEAD, POST
            POST     | /v1/pets/1    | GET, HEAD
            PUT      | /v1/pets/1    | GET, HEAD
            DELETE   | /v1/pets/1    | GET, HEAD
            DELETE   | /v1/pets/x    | GET, HEAD
            POST     | /openapi.json | GET, HEAD
            DELETE   | /docs         | GET, HEAD
            POST     | /livez        | GET, HEAD
            """)
    void refusesMethod(String method, String target, String allow) throws IOException {
        String request = method + " " + target + " HTTP/1.1\r\n" + BadRequest.HOST + BadRequest.KEY
                + BadRequest.JSON + "Content-Length: 2\r\n\r\n{}";
        Response response = service.refuses(new BadRequest(method, request, 405, "method_not_allowed"));
        assertThat(response.headers().get("allow")).containsExactly(allow);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            limit=0&status=lost         | limit must be an integer between 1 and 100; status must be one of available, pending, sold
            after=x&limit=1&limit=2     | limit must not be repeated; after must be an integer between -9223372036854775808 and 9223372036854775807
            status=&status=&limit=&x=%z | limit must be an integer between 1 and 100; status must not be repeated
            """)
    void namesEveryViolation(String query, String message) throws IOException {
        assertThat(service.refusal(query(query)))
                .isEqualTo(message);
    }

    @Test
    void sendsNoBodyWhenRefusingHead() throws IOException {
        try (RawClient client = service.connect()) {
            client.send(BadRequest.get("/v1/pets?limit=0").replaceFirst("GET", "HEAD").replaceFirst("\r\n",
                    "\r\nConnection: close\r\n"));
            String response = new String(client.socket().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(response).startsWith("HTTP/1.1 400 ").endsWith("\r\n\r\n").containsOnlyOnce("\r\n\r\n");
        }
        service.assertUnchanged();
    }

    private static BadRequest query(String query) {
        return BadRequest.get(shortened(query), "/v1/pets?" + query, 400, "invalid_request");
    }

    private static BadRequest id(String id) {
        return BadRequest.get("petId " + shortened(id), "/v1/pets/" + id, 404, "not_found");
    }

    private static BadRequest path(String path) {
        return BadRequest.get(shortened(path), path, 404, "not_found");
    }

    private static String shortened(String text) {
        return text.length() > 50 ? text.substring(0, 40) + "… (" + text.length() + ")" : text;
    }
}
