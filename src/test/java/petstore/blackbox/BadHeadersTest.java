package petstore.blackbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.KeyToken;
import petstore.testkit.ProbedService;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Requests whose head is well-formed but does not say the right things: no key, a wrong key, a body that is not JSON.
@Tag("both-stores")
class BadHeadersTest {

    private static final String KEY = TestService.KEY;
    private static final String UNKNOWN_KEY = KeyToken.random(new SecureRandom()).text();

    static final List<BadRequest> WITHOUT_KEY = List.of(
            unauthorized("no Authorization", ""),
            unauthorized("an empty value", "Authorization:\r\n"),
            unauthorized("the scheme alone", "Authorization: Bearer\r\n"),
            unauthorized("the scheme and spaces", "Authorization: Bearer   \r\n"),
            unauthorized("the key alone", "Authorization: " + KEY + "\r\n"),
            unauthorized("no space behind the scheme", "Authorization: Bearer" + KEY + "\r\n"),
            unauthorized("a tab behind the scheme", "Authorization: Bearer\t" + KEY + "\r\n"),
            unauthorized("a colon behind the scheme", "Authorization: Bearer: " + KEY + "\r\n"),
            unauthorized("an equals sign behind the scheme", "Authorization: Bearer=" + KEY + "\r\n"),
            unauthorized("everything in quotes", "Authorization: \"Bearer " + KEY + "\"\r\n"),
            unauthorized("Basic", "Authorization: Basic " + base64(":" + KEY) + "\r\n"),
            unauthorized("Token", "Authorization: Token " + KEY + "\r\n"),
            unauthorized("another scheme first", "Authorization: Basic YTpi, Bearer " + KEY + "\r\n"),
            unauthorized("the key twice", BadRequest.KEY + BadRequest.KEY),
            unauthorized("a wrong key and the right one", "Authorization: Bearer wrong\r\n" + BadRequest.KEY),
            unauthorized("the key for a proxy", "Proxy-" + BadRequest.KEY),
            unauthorized("the key in a cookie", "Cookie: Authorization=\"Bearer " + KEY + "\"\r\n"),
            unauthorized("the key in X-API-Key", "X-API-Key: " + KEY + "\r\n"),
            new BadRequest("the key in the query", "GET /v1/pets?access_token=" + KEY + " HTTP/1.1\r\n"
                    + BadRequest.HOST + "\r\n", 401, "unauthorized"));

    static final List<BadRequest> WITH_WRONG_KEY = List.of(
            unauthorized("an unknown text", bearer("wrong")),
            unauthorized("an unknown key", bearer(UNKNOWN_KEY)),
            unauthorized("an unknown key again", bearer(UNKNOWN_KEY)),
            unauthorized("a key with a wrong checksum", bearer(UNKNOWN_KEY.substring(0, 48) + "abcdef")),
            unauthorized("a key without its prefix", bearer(UNKNOWN_KEY.substring(5))),
            unauthorized("a prefix alone", bearer("pets_")),
            unauthorized("a character less", bearer(KEY.substring(1))),
            unauthorized("a character more", bearer(KEY + "x")),
            unauthorized("capitals", bearer(KEY.toUpperCase(Locale.ROOT))),
            unauthorized("the key in quotes", bearer('"' + KEY + '"')),
            unauthorized("the key in angle brackets", bearer("<" + KEY + ">")),
            unauthorized("the key and a comma", bearer(KEY + ",")),
            unauthorized("the key twice in one value", bearer(KEY + " " + KEY)),
            unauthorized("the scheme twice", bearer("Bearer " + KEY)),
            unauthorized("a realm behind the key", bearer(KEY + ", realm=\"petstore\"")),
            unauthorized("the key in base 64", bearer(base64(KEY))),
            unauthorized("the key with an escape", bearer(KEY.replace("-", "%2D"))),
            unauthorized("bytes above ASCII", bearer("\u00FF\u00FE\u0080")),
            unauthorized("undefined", bearer("undefined")),
            unauthorized("7,000 characters", bearer("x".repeat(7_000))),
            new BadRequest("an unknown key and a body that is too large", BadRequest.post(" ".repeat(100_000))
                    .replace(BadRequest.KEY, bearer(KeyToken.random(new SecureRandom()).text())), 401,
                    "unauthorized"));

    static final List<BadRequest> KEY_COMES_FIRST = List.of(
            new BadRequest("an unknown path", "GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n", 401, "unauthorized"),
            new BadRequest("a bad id", "GET /v1/pets/x HTTP/1.1\r\nHost: a\r\n\r\n", 401, "unauthorized"),
            new BadRequest("a bad query", "GET /v1/pets?limit=0 HTTP/1.1\r\nHost: a\r\n\r\n", 401, "unauthorized"),
            new BadRequest("a bad method", "DELETE /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n", 401, "unauthorized"),
            withoutKey("an animal", BadRequest.post(BadRequest.PET)),
            withoutKey("a bad body", BadRequest.post("x")),
            withoutKey("a body that is too large", BadRequest.post(" ".repeat(100_000))),
            withoutKey("chunks that are too large", BadRequest.postChunked(" ".repeat(100_000), 1_000)));

    static final List<BadRequest> CONTENT_TYPES = List.of(
            type("none", ""),
            type("an empty one", "Content-Type:\r\n"),
            type("text", "Content-Type: text/plain\r\n"),
            type("a form", "Content-Type: application/x-www-form-urlencoded\r\n"),
            type("a form in parts", "Content-Type: multipart/form-data; boundary=x\r\n"),
            type("text/json", "Content-Type: text/json\r\n"),
            type("no slash", "Content-Type: json\r\n"),
            type("a slash too many", "Content-Type: application/json/\r\n"),
            type("spaces around the slash", "Content-Type: application / json\r\n"),
            type("a wildcard", "Content-Type: application/*\r\n"),
            type("problem details", "Content-Type: application/problem+json\r\n"),
            type("a patch", "Content-Type: application/merge-patch+json\r\n"),
            type("lines of JSON", "Content-Type: application/x-ndjson\r\n"),
            type("two in one field", "Content-Type: application/json, application/json\r\n"),
            type("two fields", BadRequest.JSON + BadRequest.JSON),
            type("two different fields", BadRequest.JSON + "Content-Type: text/plain\r\n"),
            type("quotes", "Content-Type: \"application/json\"\r\n"),
            type("no semicolon", "Content-Type: application/json charset=utf-8\r\n"),
            type("a byte above ASCII", "Content-Type: application/json\u00A0\r\n"),
            type("UTF-16", "Content-Type: application/json; charset=utf-16\r\n"),
            type("ISO-8859-1", "Content-Type: application/json;charset=ISO-8859-1\r\n"),
            type("UTF-16 in quotes", "Content-Type: application/json; charset=\"utf-16\"\r\n"),
            type("an empty charset", "Content-Type: application/json; charset=\r\n"),
            type("two charsets", "Content-Type: application/json; charset=utf-8; charset=utf-16\r\n"),
            type("an unknown charset", "Content-Type: application/json; charset=utf-8x\r\n"));

    static final List<BadRequest> ENCODINGS = List.of(
            type("gzip", BadRequest.JSON + "Content-Encoding: gzip\r\n"),
            type("gzip in capitals", BadRequest.JSON + "CONTENT-ENCODING: GZIP\r\n"),
            type("deflate", BadRequest.JSON + "Content-Encoding: deflate\r\n"),
            type("br", BadRequest.JSON + "Content-Encoding: br\r\n"),
            type("identity", BadRequest.JSON + "Content-Encoding: identity\r\n"),
            type("an empty one", BadRequest.JSON + "Content-Encoding:\r\n"),
            type("two", BadRequest.JSON + "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"),
            typeOf("a body in gzip", BadRequest.JSON + "Content-Encoding: gzip\r\n", gzip(BadRequest.PET)),
            typeOf("a megabyte in a kilobyte", BadRequest.JSON + "Content-Encoding: gzip\r\n",
                    gzip(" ".repeat(1_000_000))));

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource({"WITHOUT_KEY", "KEY_COMES_FIRST"})
    void asksForAKey(BadRequest request) throws IOException {
        assertThat(service.refuses(request).headers().get("www-authenticate"))
                .containsExactly("Bearer realm=\"petstore\"");
    }

    @ParameterizedTest
    @FieldSource("WITH_WRONG_KEY")
    void refusesKey(BadRequest request) throws IOException {
        assertThat(service.refuses(request).headers().get("www-authenticate"))
                .containsExactly("Bearer realm=\"petstore\", error=\"invalid_token\"");
    }

    @ParameterizedTest
    @FieldSource({"CONTENT_TYPES", "ENCODINGS"})
    void refusesMediaType(BadRequest request) throws IOException {
        service.refuses(request);
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
    void saysWhatIsWrongWithTheMediaType(@Nullable String fields, String message) throws IOException {
        String lines = fields == null ? "" : fields.replace(",Content", "\r\nContent") + "\r\n";
        assertThat(service.refusal(type(message, lines)))
                .isEqualTo(message);
    }

    private static BadRequest unauthorized(String name, String fields) {
        return new BadRequest(name, "GET /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + fields + "\r\n", 401,
                "unauthorized");
    }

    private static BadRequest withoutKey(String name, String request) {
        return new BadRequest(name, request.replace(BadRequest.KEY, ""), 401, "unauthorized");
    }

    private static BadRequest type(String name, String fields) {
        return typeOf(name, fields, BadRequest.PET);
    }

    private static BadRequest typeOf(String name, String fields, String body) {
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
