package petstore.blackbox;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.testkit.ProbedService;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;

/// createPet requests whose body is not a single JSON object in UTF-8 of at most 64 KiB. [BadMembersTest] tests invalid members.
class BadBodiesTest {

    private static final int MAX_LENGTH = 64 * 1024;

    static final List<BadRequest> DOCUMENTS = List.of(
            invalid("empty", ""),
            invalid("only white space", " \r\n\t "),
            invalid("null", "null"),
            invalid("a number", "7"),
            invalid("an object inside a string", "\"{\\\"name\\\":\\\"a\\\",\\\"categoryId\\\":1}\""),
            invalid("an array of one animal", "[" + BadRequest.PET + "]"),
            invalid("two documents", BadRequest.PET + BadRequest.PET),
            invalid("trailing text", BadRequest.PET + " x"),
            invalid("a byte order mark", "\uFEFF" + BadRequest.PET),
            invalid("only a byte order mark", "\uFEFF"),
            invalid("a block comment", "/* a */" + BadRequest.PET),
            invalid("a line comment", BadRequest.PET + "// a"),
            invalid("a YAML comment", BadRequest.PET + "# a"),
            invalid("an unclosed object", "{\"name\":\"a\",\"categoryId\":1"),
            invalid("an unclosed string", "{\"name\":\"a,\"categoryId\":1}"),
            invalid("a truncated literal", "{\"name\":\"a\",\"categoryId\":1,\"x\":tru}"),
            invalid("no colon", "{\"name\" \"a\",\"categoryId\":1}"),
            invalid("two commas", "{\"name\":\"a\",,\"categoryId\":1}"),
            invalid("a trailing comma", "{\"name\":\"a\",\"categoryId\":1,}"),
            invalid("an array with a missing value", "{\"name\":\"a\",\"categoryId\":1,\"x\":[1,,2]}"),
            invalid("single quotes", "{'name':'a','categoryId':1}"),
            invalid("member names without quotes", "{name:\"a\",categoryId:1}"),
            invalid("a literal in capitals", "{\"name\":\"a\",\"categoryId\":1,\"x\":TRUE}"),
            invalid("a leading record separator", "\u001E" + BadRequest.PET),
            invalid("a hexadecimal escape with x", "{\"name\":\"\\x41\",\"categoryId\":1}"),
            invalid("a Unicode escape with a letter that is not hexadecimal",
                    "{\"name\":\"\\u00g1\",\"categoryId\":1}"),
            invalid("an escaped emoji", "{\"name\":\"\\\uD83D\uDE3A\",\"categoryId\":1}"),
            invalid("a line feed in a string", "{\"name\":\"a\nb\",\"categoryId\":1}"),
            invalid("a NUL in a string", "{\"name\":\"a\0b\",\"categoryId\":1}"),
            invalid("a form", "name=a&categoryId=1"),
            invalid("name twice", "{\"name\":\"a\",\"name\":\"a\",\"categoryId\":1}"),
            invalid("name twice, one of them escaped", "{\"name\":\"a\",\"\\u006eame\":\"a\",\"categoryId\":1}"),
            invalid("an unknown member twice", "{\"name\":\"a\",\"categoryId\":1,\"x\":1,\"x\":2}"),
            invalid("a duplicate member in a nested object",
                    "{\"name\":\"a\",\"categoryId\":1,\"x\":[{\"y\":1,\"y\":2}]}"),
            invalid("a lone surrogate as a member name twice",
                    "{\"name\":\"a\",\"categoryId\":1,\"\\ud800\":1,\"\\ud800\":2}"),
            invalid("a member name of 257 characters", "{\"name\":\"a\",\"categoryId\":1,\"" + "x".repeat(257)
                    + "\":1}"),
            invalid("32 nested arrays", withUnknownMember("[".repeat(32) + "]".repeat(32))),
            invalid("32 nested objects", withUnknownMember("{\"x\":".repeat(32) + "1" + "}".repeat(32))),
            invalid("30,000 nested arrays", withUnknownMember("[".repeat(30_000) + "]".repeat(30_000))),
            invalid("a number of 33 characters", withUnknownMember("1".repeat(33))),
            invalid("an exponent of 5,000 digits", withUnknownMember("1e" + "1".repeat(5_000))));

    static final List<BadRequest> ENCODINGS = List.of(
            raw("a lone continuation byte", withName("\u0080")),
            raw("a lone lead byte", withName("\u00C3")),
            raw("a lead byte at the end of the body", BadRequest.PET + "\u00C3"),
            raw("a sequence of four bytes truncated to three", withName("\u00F0\u009F\u0098")),
            raw("an overlong slash of two bytes", withName("\u00C0\u00AF")),
            raw("a lone surrogate in three bytes", withName("\u00ED\u00A0\u0080")),
            raw("a code point above U+10FFFF", withName("\u00F4\u0090\u0080\u0080")),
            raw("ISO-8859-1", withName("Se\u00F1or")),
            raw("invalid UTF-8 in an unknown member", withUnknownMember("\"\u0080\"")),
            raw("UTF-16 with a byte order mark", bytes(BadRequest.PET, StandardCharsets.UTF_16)),
            raw("UTF-16LE", bytes(BadRequest.PET, StandardCharsets.UTF_16LE)),
            raw("UTF-16BE", bytes(BadRequest.PET, StandardCharsets.UTF_16BE)),
            raw("the start of a gzip file", "\u001F\u008B\u0008\0\0\0\0\0\0\u0003"));

    static final List<BadRequest> SIZES = List.of(
            tooLarge("one byte too many", BadRequest.post(padded(MAX_LENGTH + 1))),
            tooLarge("one byte too many in one chunk", BadRequest.postChunked(padded(MAX_LENGTH + 1), MAX_LENGTH + 1)),
            tooLarge("one byte too many in chunks", BadRequest.postChunked(padded(MAX_LENGTH + 1), 1_000)),
            tooLarge("one byte too many in chunks of one byte", BadRequest.postChunked(padded(MAX_LENGTH + 1), 1)),
            tooLarge("only white space", BadRequest.post(" ".repeat(MAX_LENGTH + 1))),
            tooLarge("an animal followed by white space",
                    BadRequest.postChunked(BadRequest.PET + " ".repeat(MAX_LENGTH), 20_000)));

    static final List<BadRequest> SIZES_OF_UNFINISHED_BODIES = List.of(
            tooLarge("a Content-Length of 64 KiB + 1", unfinished("Content-Length: 65537", "")),
            tooLarge("a Content-Length of 2^63 - 1", unfinished("Content-Length: 9223372036854775807", "")),
            tooLarge("a Content-Length of 64 KiB + 1 with Expect",
                    unfinished("Content-Length: 65537\r\nExpect: 100-continue", "")),
            tooLarge("a chunk of 2 GiB", unfinished("Transfer-Encoding: chunked",
                    "7fffffff\r\n" + " ".repeat(MAX_LENGTH + 1))));

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource({"DOCUMENTS", "ENCODINGS", "SIZES"})
    void refusesBody(BadRequest request) throws IOException {
        service.refuses(request);
    }

    @ParameterizedTest
    @FieldSource("SIZES_OF_UNFINISHED_BODIES")
    void refusesTooLargeBodyBeforeItsEnd(BadRequest request) throws IOException {
        service.refusesUnfinished(request);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                               | name is required; categoryId is required
            {"status":"lost"}                | name is required; status must be one of available, pending, sold; categoryId is required
            {"name":7,"categoryId":"7"}      | name must be a string; categoryId must be an integer between -9223372036854775808 and 9223372036854775807
            {"status":null,"name":" "}       | status must be one of available, pending, sold; name must not be blank; categoryId is required
            {"categoryId":1.5,"status":1,"name":""} | categoryId must be an integer between -9223372036854775808 and 9223372036854775807; status must be one of available, pending, sold; name must be 1 to 255 characters long
            """)
    void namesEveryViolation(String body, String message) {
        String response = service.client().post(body).body();
        assertThat(ServedContract.json(response).get("message").asText()).isEqualTo(message);
    }

    private static BadRequest invalid(String name, String body) {
        return raw(name, BadRequest.utf8(body));
    }

    /// @param body each character is one byte
    private static BadRequest raw(String name, String body) {
        return BadRequest.post(name, body, 400, "invalid_request");
    }

    private static BadRequest tooLarge(String name, String request) {
        return new BadRequest(name, request, 413, "payload_too_large");
    }

    private static String unfinished(String framing, String body) {
        return "POST /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + BadRequest.KEY + BadRequest.JSON + framing + "\r\n\r\n"
                + body;
    }

    private static String withName(String name) {
        return "{\"name\":\"" + name + "\",\"categoryId\":1}";
    }

    private static String withUnknownMember(String value) {
        return "{\"name\":\"a\",\"categoryId\":1,\"x\":" + value + "}";
    }

    private static String padded(int length) {
        String padding = "x".repeat(length - withUnknownMember("\"\"").length());
        return withUnknownMember('"' + padding + '"');
    }

    private static String bytes(String text, Charset charset) {
        return new String(text.getBytes(charset), StandardCharsets.ISO_8859_1);
    }
}
