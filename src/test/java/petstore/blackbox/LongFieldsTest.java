package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Header fields, targets and members of almost the maximum length, repeated from parts that are slow to parse.
/// Each request must get a response. `WorstTextTest` measures the functions that read the texts.
class LongFieldsTest {

    private static final String PET = "{\"name\":\"a\",\"categoryId\":1}";
    private static final int FIELD_LENGTH = 7_500;
    private static final int TARGET_LENGTH = 4_000;
    private static final List<String> PARTS = List.of("a", "1", " ", "\t", ",", ";", "\"", "\\\\", "\\\"", "a,", "a=b,",
            " ,", "/", ":",
            ".", "[", "%", "W/\"\",", "{\"");

    @TempDir
    private static Path folder;
    private static TestService service;

    @BeforeAll
    static void start() {
        service = TestService.start(folder);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /// Fields that the service or one of its libraries parses.
    @ParameterizedTest
    @ValueSource(strings = {"Authorization: Bearer ", "Connection: ", "Content-Encoding: ", "Content-Length: ",
            "Content-Type: ",
            "Content-Type: application/json;", "Cookie: ", "Expect: ", "Host: ", "Idempotency-Key: ",
            "Idempotency-Key: \"",
            "If-Match: ", "If-Match: \"", "If-None-Match: ", "If-None-Match: \"", "Origin: ", "Transfer-Encoding: ",
            "Upgrade: ", "X-Request-Id: ", "traceparent: ",
            "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ntracestate: "})
    void parsesLongHeaderField(String field) throws IOException {
        String name = field.substring(0, field.indexOf(':'));
        for (String request : List.of(BadRequest.get("/v1/pets"), BadRequest.post(PET))) {
            String template = name.equals("Authorization")
                    ? request
                    : request.replaceFirst("\r\n" + name + ": [^\r]*", "");
            for (String part : PARTS) {
                // White space at either end is not part of a value, so a letter encloses the parts.
                String value = "a" + part.repeat(FIELD_LENGTH / part.length()) + "a";
                assertResponse(template.replace(BadRequest.KEY, BadRequest.KEY + field + value + "\r\n"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/v1/pets/", "/v1/pets?", "/v1/pets?limit=", "/v1/pets?status=", "/v1/pets?after=",
            "/docs/", "http://",
            "http://a/", "*"})
    void parsesLongTarget(String target) throws IOException {
        for (String part : List.of("a", "a-", "1", "&", "a&", "limit=1&", "=", "%41", "%", "+", "/", ".", "a.", ":",
                "@", "[", "]")) {
            assertResponse(BadRequest.get(target + part.repeat(TARGET_LENGTH / part.length())));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"name\":\"%s\",\"categoryId\":1}", "{\"name\":\"a\",\"categoryId\":%s}",
            "{\"name\":\"a\",\"categoryId\":\"%s\"}", "{\"name\":\"a\",\"status\":\"%s\"}", "{\"x\":\"%s\"}",
            "{\"%s\":1}",
            "{\"x\":%s}", "%s"})
    void parsesLongMember(String body) throws IOException {
        for (String part : List.of("a", "1", "0", "-", "1e", "0.", " ", "\\n", "\\\"", "\\u0000", "[", "{\"x\":", "[],",
                "\"\":1,", "\n")) {
            assertResponse(BadRequest.post(body.replace("%s", part.repeat(FIELD_LENGTH / part.length()))));
        }
    }

    private static void assertResponse(String request) throws IOException {
        try (RawClient client = new RawClient(service.port())) {
            assertThat(client.send(request).response().orElseThrow().status()).as(request).isBetween(200, 499);
        }
    }
}
