package petstore.http.message;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Failure;
import petstore.testkit.TestHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyHeaderTest {

    private static TestHeaders field(String... values) {
        TestHeaders headers = new TestHeaders();
        List.of(values).forEach(value -> headers.add("Idempotency-Key", value));
        return headers;
    }

    @Test
    void parsesKeysWithAndWithoutQuotes() {
        assertThat(IdempotencyHeader.find(new TestHeaders())).isEmpty();
        assertThat(IdempotencyHeader.find(field("a\\\"b"))).contains("a\\\"b");
        assertThat(IdempotencyHeader.find(field(" \"a\\\"b\\\\\" "))).contains("a\"b\\");
        assertThat(IdempotencyHeader.find(field('"' + "\\\\".repeat(255) + '"'))).contains("\\".repeat(255));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"", "\"\"", "\"a", "\"a\\\"", "\"a\\\\", "\"\\", "\"a\\b\"", "\"a\"b\"", "\"a\";b",
            "\"a b\"",
            "a b", "\u007f", "é"})
    void refusesMalformedKeys(String value) {
        assertRefused(value);
    }

    /// A regular expression with a repeated group needs a stack frame for each repetition.
    @ParameterizedTest
    @ValueSource(strings = {"a", "\"", "\\", "\\\\", "\\\"", " ", ","})
    void refusesLongFields(String part) {
        String value = part.repeat(8_192);
        assertRefused(value);
        assertRefused('"' + value);
        assertRefused('"' + value + '"');
    }

    @Test
    void refusesRepeatedFields() {
        assertRefused("a", "a");
    }

    private static void assertRefused(String... values) {
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> IdempotencyHeader.find(field(values)))
                .withMessageContaining("Idempotency-Key must be one key of 1 to 255");
    }
}
