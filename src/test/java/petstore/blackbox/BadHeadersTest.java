package petstore.blackbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.KeyToken;
import petstore.testkit.ProbedService;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Well-formed requests with a missing or wrong API key, media type or content coding.
class BadHeadersTest {

    private static final String KEY = TestService.KEY;
    private static final String UNKNOWN_KEY = KeyToken.random().text();

    static final List<BadRequest> WITHOUT_KEY = List.of(
            unauthorized("no Authorization", ""),
            unauthorized("an empty value", "Authorization:\r\n"),
            unauthorized("only the scheme", "Authorization: Bearer\r\n"),
            unauthorized("the scheme and spaces", "Authorization: Bearer   \r\n"),
            unauthorized("only the key", "Authorization: " + KEY + "\r\n"),
            unauthorized("a tab after the scheme", "Authorization: Bearer\t" + KEY + "\r\n"),
            unauthorized("the scheme Basic", "Authorization: Basic " + base64(":" + KEY) + "\r\n"),
            unauthorized("another scheme first", "Authorization: Basic YTpi, Bearer " + KEY + "\r\n"),
            unauthorized("the key twice", BadRequest.KEY + BadRequest.KEY),
            unauthorized("a wrong key, then the right key", "Authorization: Bearer wrong\r\n" + BadRequest.KEY),
            unauthorized("the key in X-API-Key", "X-API-Key: " + KEY + "\r\n"),
            new BadRequest("the key in the query", "GET /v1/pets?access_token=" + KEY + " HTTP/1.1\r\n"
                    + BadRequest.HOST + "\r\n", 401, "unauthorized"));

    static final List<BadRequest> WITH_WRONG_KEY = List.of(
            unauthorized("a text that is not a key", bearer("wrong")),
            unauthorized("an unknown key", bearer(UNKNOWN_KEY)),
            unauthorized("an unknown key again", bearer(UNKNOWN_KEY)),
            unauthorized("a key with a wrong checksum", bearer(UNKNOWN_KEY.substring(0, 48) + "abcdef")),
            unauthorized("bytes above ASCII", bearer("\u00FF\u00FE\u0080")),
            unauthorized("7,000 characters", bearer("x".repeat(7_000))),
            new BadRequest("an unknown key and a body that is too large", BadRequest.post(" ".repeat(100_000))
                    .replace(BadRequest.KEY, bearer(KeyToken.random().text())), 401,
                    "unauthorized"));

    static final List<BadRequest> CONTENT_TYPES = List.of(
            unsupported("a form", "Content-Type: application/x-www-form-urlencoded\r\n"),
            unsupported("no slash", "Content-Type: json\r\n"),
            unsupported("an extra slash", "Content-Type: application/json/\r\n"),
            unsupported("a wildcard", "Content-Type: application/*\r\n"),
            unsupported("two fields with different types", BadRequest.JSON + "Content-Type: text/plain\r\n"),
            unsupported("a type in quotes", "Content-Type: \"application/json\"\r\n"),
            unsupported("no semicolon before the charset", "Content-Type: application/json charset=utf-8\r\n"),
            unsupported("a byte above ASCII", "Content-Type: application/json\u00A0\r\n"),
            unsupported("UTF-16 after a quoted parameter",
                    "Content-Type: application/json; a=\"\\\";b\\\\\"; charset=utf-16\r\n"),
            unsupported("two charsets", "Content-Type: application/json; charset=utf-8; charset=utf-16\r\n"),
            unsupported("an unknown charset", "Content-Type: application/json; charset=utf-8x\r\n"),
            unsupported("a space before the equals sign of UTF-16",
                    "Content-Type: application/json; charset =utf-16\r\n"),
            unsupported("a blank before the equals sign", "Content-Type: application/json; charset =utf-8\r\n"),
            unsupported("a blank behind the equals sign", "Content-Type: application/json; charset= utf-8\r\n"),
            unsupported("a blank in the quotes", "Content-Type: application/json; charset=\" utf-8\"\r\n"),
            unsupported("a backslash without quotes", "Content-Type: application/json; charset=utf\\-8\r\n"),
            unsupported("a charset without value", "Content-Type: application/json; charset\r\n"),
            unsupported("text after the quotes", "Content-Type: application/json; charset=\"utf-8\"x\r\n"),
            unsupported("utf8 and two digits", "Content-Type: application/json; charset=utf88\r\n"));

    static final List<BadRequest> ENCODINGS = List.of(
            unsupported("gzip", BadRequest.JSON + "Content-Encoding: gzip\r\n"),
            unsupported("gzip in capitals", BadRequest.JSON + "CONTENT-ENCODING: GZIP\r\n"),
            unsupported("identity and gzip", BadRequest.JSON + "Content-Encoding: identity, gzip\r\n"),
            unsupported("identity, then gzip",
                    BadRequest.JSON + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n"),
            unsupported("a name that begins with identity", BadRequest.JSON + "Content-Encoding: identity2\r\n"),
            unsupported("gzip between empty elements", BadRequest.JSON + "Content-Encoding: , gzip,\r\n"),
            unsupported("a gzip body", BadRequest.JSON + "Content-Encoding: gzip\r\n", gzip(BadRequest.PET)));

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource("WITHOUT_KEY")
    void challengesRequestWithoutKey(BadRequest request) throws IOException {
        assertThat(service.refuses(request).headers().get("www-authenticate"))
                .containsExactly("Bearer realm=\"petstore\"");
    }

    @ParameterizedTest
    @FieldSource("WITH_WRONG_KEY")
    void refusesWrongKey(BadRequest request) throws IOException {
        assertThat(service.refuses(request).headers().get("www-authenticate"))
                .containsExactly("Bearer realm=\"petstore\", error=\"invalid_token\"");
    }

    @ParameterizedTest
    @FieldSource("CONTENT_TYPES")
    void refusesMediaType(BadRequest request) throws IOException {
        assertThat(service.refuses(request).headers()).doesNotContainKey("accept-encoding");
    }

    @ParameterizedTest
    @FieldSource("ENCODINGS")
    void namesAcceptedCodingInRefusal(BadRequest request) throws IOException {
        assertThat(service.refuses(request).headers().get("accept-encoding")).containsExactly("identity");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            | Content-Type is missing: it must be application/json
            Content-Type: text/plain | Content-Type must be application/json
            Content-Type: | Content-Type must be application/json
            Content-Type: application/json, application/json | Content-Type must be application/json
            Content-Type: application/json; charset=utf-16 | the charset of Content-Type must be utf-8
            Content-Type: application/json;CHARSET="UTF-16" | the charset of Content-Type must be utf-8
            Content-Type: application/json; a=b; charset= | the charset of Content-Type must be utf-8
            Content-Type: text/plain; charset=utf-16 | Content-Type must be application/json
            Content-Type: application/json,Content-Type: application/json | Content-Type must not be repeated
            Content-Type: application/json,Content-Encoding: gzip | \
            the body must not be compressed: Content-Encoding is not supported
            Content-Encoding: br | Content-Type is missing: it must be application/json; \
            the body must not be compressed: Content-Encoding is not supported
            """)
    void reportsReasonForUnsupportedMediaType(@Nullable String fields, String message) throws IOException {
        String lines = fields == null ? "" : fields.replace(",Content", "\r\nContent") + "\r\n";
        assertThat(service.refusal(unsupported(message, lines)))
                .isEqualTo(message);
    }

    private static BadRequest unauthorized(String name, String fields) {
        return new BadRequest(name, "GET /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + fields + "\r\n", 401,
                "unauthorized");
    }

    private static BadRequest unsupported(String name, String fields) {
        return unsupported(name, fields, BadRequest.PET);
    }

    private static BadRequest unsupported(String name, String fields, String body) {
        return new BadRequest(name, BadRequest.post(body).replace(BadRequest.JSON, fields), 415,
                "unsupported_media_type");
    }

    private static String bearer(String key) {
        return "Authorization: Bearer " + key + "\r\n";
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }
}
