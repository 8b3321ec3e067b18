package petstore.blackbox;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.testkit.ProbedService;

import static org.assertj.core.api.Assertions.assertThat;

/// createPet with a member that is missing or has a value that the contract does not allow.
@Tag("both-stores")
class BadMembersTest {

    static final List<BadRequest> NAMES = List.of(
            name("missing", "{\"categoryId\":1}"),
            name("spelt otherwise", "{\"Name\":\"a\",\"categoryId\":1}"),
            name("null", named("null")),
            name("a number", named("7")),
            name("a boolean", named("true")),
            name("an array", named("[\"a\"]")),
            name("an object", named("{\"name\":\"a\"}")),
            name("an empty string", named("\"\"")),
            name("a space", named("\" \"")),
            name("a tab by an escape", named("\"\\t\"")),
            name("every kind of line end", named("\"\\n\\r\\u000b\\f\\u2028\\u2029\"")),
            name("a no-break space", named("\"\u00A0\"")),
            name("an ideographic space", named("\"\u3000\"")),
            name("a byte order mark", named("\"\uFEFF\"")),
            name("NUL by an escape", named("\"\\u0000\"")),
            name("NUL behind letters", named("\"Whiskers\\u0000\"")),
            name("256 letters", named('"' + "a".repeat(256) + '"')),
            name("256 letters by escapes", named('"' + "\\u0061".repeat(256) + '"')),
            name("256 code points of two characters", named('"' + "\uD83D\uDE3A".repeat(256) + '"')),
            name("256 spaces", named('"' + " ".repeat(256) + '"')),
            name("60,000 letters", named('"' + "a".repeat(60_000) + '"')),
            name("a high surrogate alone", named("\"\\ud83d\"")),
            name("a low surrogate alone", named("\"\\ude3a\"")),
            name("a surrogate pair the wrong way round", named("\"\\ude3a\\ud83d\"")),
            name("two high surrogates and a low one", named("\"\\ud83d\\ud83d\\ude3a\"")),
            name("a high surrogate before a letter", named("\"\\ud83da\"")));

    static final List<BadRequest> CATEGORY_IDS = List.of(
            categoryId("missing", "{\"name\":\"a\"}"),
            categoryId("spelt otherwise", "{\"name\":\"a\",\"categoryid\":1}"),
            categoryId("null", category("null")),
            categoryId("a digit in a string", category("\"7\"")),
            categoryId("an empty string", category("\"\"")),
            categoryId("half a surrogate pair", category("\"\\ud83d\"")),
            categoryId("a boolean", category("true")),
            categoryId("an empty array", category("[]")),
            categoryId("an array of a number", category("[7]")),
            categoryId("an empty object", category("{}")),
            categoryId("an object", category("{\"categoryId\":7}")),
            categoryId("a fraction", category("1.5")),
            categoryId("nearly an integer", category("7.0000000000000000000000000001")),
            categoryId("a tenth", category("1e-1")),
            categoryId("2^63", category("9223372036854775808")),
            categoryId("-2^63 - 1", category("-9223372036854775809")),
            categoryId("2^63 with an exponent", category("9.223372036854775808e18")),
            categoryId("2^64 + 1", category("18446744073709551617")),
            categoryId("1e19", category("1e19")),
            categoryId("32 digits", category("9".repeat(32))),
            categoryId("1e1000000000", category("1e1000000000")),
            categoryId("-1e1000000000", category("-1e1000000000")),
            categoryId("1e-1000000000", category("1e-1000000000")),
            categoryId("1e500000000", category("1e500000000")),
            categoryId("-1e100000000", category("-1e100000000")),
            categoryId("1e-500000000", category("1e-500000000")),
            categoryId("1e2147483647", category("1e2147483647")),
            categoryId("1e-2147483648", category("1e-2147483648")),
            categoryId("0.1e-2147483647", category("0.1e-2147483647")),
            categoryId("an exponent of more than 32 bits", category("1e99999999999")),
            categoryId("an exponent of 30 digits", category("1e" + "9".repeat(30))),
            categoryId("a negative exponent of 29 digits", category("1e-" + "9".repeat(29))),
            categoryId("not quite zero with a great exponent", category("0.01e-9999999999")));

    static final List<BadRequest> NUMBERS_THAT_ARE_NOT_JSON = List.of(
            noJson("33 digits", category("1".repeat(33))),
            noJson("32 digits and a point", category("1." + "0".repeat(31))),
            noJson("32 digits and a minus", category("-" + "1".repeat(32))),
            noJson("5,000 digits", category("1".repeat(5_000))),
            noJson("-5,000 digits", category("-" + "1".repeat(5_000))),
            noJson("seven and 5,000 zeros", category("7." + "0".repeat(5_000))),
            noJson("an exponent of 5,000 digits", category("1e" + "1".repeat(5_000))),
            noJson("a plus", category("+7")),
            noJson("a zero first", category("07")),
            noJson("a minus and a zero first", category("-07")),
            noJson("a minus alone", category("-")),
            noJson("two minuses", category("--7")),
            noJson("a point first", category(".5")),
            noJson("a point last", category("7.")),
            noJson("an exponent without digits", category("7e")),
            noJson("an exponent with a sign alone", category("7e+")),
            noJson("hexadecimal", category("0x10")),
            noJson("an underscore", category("1_000")),
            noJson("a decimal comma", category("7,0")),
            noJson("a suffix", category("7L")),
            noJson("NaN", category("NaN")),
            noJson("Infinity", category("Infinity")),
            noJson("-Infinity", category("-Infinity")),
            noJson("an Arabic digit", category("\u0667")),
            noJson("a full-width digit", category("\uFF17")),
            noJson("two numbers", category("7 7")),
            noJson("nothing", category("")));

    static final List<BadRequest> STATUSES = List.of(
            status("null", "null"),
            status("an empty string", "\"\""),
            status("an unknown status", "\"lost\""),
            status("a capital", "\"Sold\""),
            status("a space behind it", "\"sold \""),
            status("NUL behind it", "\"sold\\u0000\""),
            status("a Cyrillic letter", "\"s\u043Eld\""),
            status("half a surrogate pair", "\"\\ud83d\""),
            status("two statuses", "\"available,sold\""),
            status("a number", "0"),
            status("a boolean", "false"),
            status("an array", "[\"sold\"]"),
            status("an object", "{\"status\":\"sold\"}"));

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
    @FieldSource("NUMBERS_THAT_ARE_NOT_JSON")
    void refusesNumber(BadRequest request) throws IOException {
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

    private static BadRequest noJson(String name, String body) {
        return invalid("number: " + name, body);
    }

    private static BadRequest status(String name, String value) {
        return invalid("status: " + name, "{\"name\":\"a\",\"categoryId\":1,\"status\":" + value + "}");
    }

    private static BadRequest invalid(String name, String body) {
        return BadRequest.post(name, BadRequest.utf8(body), 400, "invalid_request");
    }

    private static String named(String value) {
        return "{\"name\":" + value + ",\"categoryId\":1}";
    }

    private static String category(String value) {
        return "{\"name\":\"a\",\"categoryId\":" + value + "}";
    }
}
