package petstore.blackbox;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.testkit.ProbedService;

import static org.assertj.core.api.Assertions.assertThat;

/// createPet requests with a member that is missing or has a value that the contract forbids.
class BadMembersTest {

    static final List<BadRequest> NAMES = List.of(
            name("missing", "{\"categoryId\":1}"),
            name("in different case", "{\"Name\":\"a\",\"categoryId\":1}"),
            name("null", withName("null")),
            name("a number", withName("7")),
            name("an array", withName("[\"a\"]")),
            name("an empty string", withName("\"\"")),
            name("a space", withName("\" \"")),
            name("every kind of line terminator", withName("\"\\n\\r\\u000b\\f\\u2028\\u2029\"")),
            name("a no-break space", withName("\"\u00A0\"")),
            name("a byte order mark", withName("\"\uFEFF\"")),
            name("an escaped NUL", withName("\"\\u0000\"")),
            name("256 letters", withName('"' + "a".repeat(256) + '"')),
            name("256 code points of two UTF-16 units", withName('"' + "\uD83D\uDE3A".repeat(256) + '"')),
            name("256 spaces", withName('"' + " ".repeat(256) + '"')),
            name("a lone high surrogate", withName("\"\\ud83d\"")),
            name("a lone low surrogate", withName("\"\\ude3a\"")),
            name("a reversed surrogate pair", withName("\"\\ude3a\\ud83d\"")),
            name("a high surrogate before a letter", withName("\"\\ud83da\"")));

    static final List<BadRequest> CATEGORY_IDS = List.of(
            categoryId("missing", "{\"name\":\"a\"}"),
            categoryId("null", withCategoryId("null")),
            categoryId("a digit in a string", withCategoryId("\"7\"")),
            categoryId("an empty array", withCategoryId("[]")),
            categoryId("an object", withCategoryId("{\"categoryId\":7}")),
            categoryId("a fraction", withCategoryId("1.5")),
            categoryId("almost an integer", withCategoryId("7.0000000000000000000000000001")),
            categoryId("2^63", withCategoryId("9223372036854775808")),
            categoryId("-2^63 - 1", withCategoryId("-9223372036854775809")),
            categoryId("2^63 with an exponent", withCategoryId("9.223372036854775808e18")),
            categoryId("32 digits", withCategoryId("9".repeat(32))),
            categoryId("1e1000000000", withCategoryId("1e1000000000")),
            categoryId("1e-1000000000", withCategoryId("1e-1000000000")),
            categoryId("1e2147483647", withCategoryId("1e2147483647")),
            categoryId("1e-2147483648", withCategoryId("1e-2147483648")),
            categoryId("0.1e-2147483647", withCategoryId("0.1e-2147483647")),
            categoryId("an exponent of more than 32 bits", withCategoryId("1e99999999999")),
            categoryId("a negative exponent of 29 digits", withCategoryId("1e-" + "9".repeat(29))),
            categoryId("a nonzero number with a huge negative exponent", withCategoryId("0.01e-9999999999")));

    /// Numbers that the JSON parser refuses: malformed, or longer than 32 characters.
    static final List<BadRequest> UNPARSABLE_NUMBERS = List.of(
            unparsable("33 digits", withCategoryId("1".repeat(33))),
            unparsable("32 digits and a point", withCategoryId("1." + "0".repeat(31))),
            unparsable("32 digits and a minus", withCategoryId("-" + "1".repeat(32))),
            unparsable("5,000 digits", withCategoryId("1".repeat(5_000))),
            unparsable("an exponent of 5,000 digits", withCategoryId("1e" + "1".repeat(5_000))),
            unparsable("a plus", withCategoryId("+7")),
            unparsable("a leading zero", withCategoryId("07")),
            unparsable("only a minus", withCategoryId("-")),
            unparsable("a leading point", withCategoryId(".5")),
            unparsable("a trailing point", withCategoryId("7.")),
            unparsable("an exponent without digits", withCategoryId("7e")),
            unparsable("NaN", withCategoryId("NaN")),
            unparsable("Infinity", withCategoryId("Infinity")));

    static final List<BadRequest> STATUSES = List.of(
            status("null", "null"),
            status("an empty string", "\"\""),
            status("an unknown status", "\"lost\""),
            status("a capital", "\"Sold\""),
            status("a trailing space", "\"sold \""),
            status("a lone surrogate", "\"\\ud83d\""),
            status("a number", "0"),
            status("an array", "[\"sold\"]"));

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource("NAMES")
    void refusesName(BadRequest request) throws IOException {
        assertThat(service.refusal(request).split("; ", -1)).allMatch(violation -> violation.startsWith("name "));
    }

    @ParameterizedTest
    @FieldSource("CATEGORY_IDS")
    void refusesCategoryId(BadRequest request) throws IOException {
        assertThat(service.refusal(request)).startsWith("categoryId ").doesNotContain(";");
    }

    @ParameterizedTest
    @FieldSource("UNPARSABLE_NUMBERS")
    void refusesUnparsableNumber(BadRequest request) throws IOException {
        assertThat(service.refusal(request)).doesNotContain("categoryId");
    }

    @ParameterizedTest
    @FieldSource("STATUSES")
    void refusesStatus(BadRequest request) throws IOException {
        assertThat(service.refusal(request)).isEqualTo("status must be one of available, pending, sold");
    }

    private static BadRequest name(String name, String body) {
        return invalid("name: " + name, body);
    }

    private static BadRequest categoryId(String name, String body) {
        return invalid("categoryId: " + name, body);
    }

    private static BadRequest unparsable(String name, String body) {
        return invalid("number: " + name, body);
    }

    private static BadRequest status(String name, String value) {
        return invalid("status: " + name, "{\"name\":\"a\",\"categoryId\":1,\"status\":" + value + "}");
    }

    private static BadRequest invalid(String name, String body) {
        return BadRequest.post(name, BadRequest.utf8(body), 400, "invalid_request");
    }

    private static String withName(String value) {
        return "{\"name\":" + value + ",\"categoryId\":1}";
    }

    private static String withCategoryId(String value) {
        return "{\"name\":\"a\",\"categoryId\":" + value + "}";
    }
}
