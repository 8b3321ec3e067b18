package petstore.http.message;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Failure;
import petstore.KeyToken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyHeaderTest {

    private static final String CONFIGURED = "configured-key-of-\"this\"-service";

    private static HeaderFields field(String... values) {
        HeaderFields headers = new HeaderFields(_ -> true);
        List.of(values).forEach(value -> headers.add("Idempotency-Key", value));
        return headers;
    }

    private static Optional<String> find(String... values) {
        return IdempotencyHeader.find(field(values), new KeyScanner(Optional.of(CONFIGURED)));
    }

    @Test
    void refusesConfiguredKey() {
        for (String value : List.of(CONFIGURED, "a" + CONFIGURED + "b", CONFIGURED.toUpperCase(Locale.ROOT),
                '"' + CONFIGURED.replace("\"", "\\\"") + '"', CONFIGURED.replace("-", "%2d"))) {
            assertThatExceptionOfType(Failure.class).as(value).isThrownBy(() -> find(value))
                    .withMessage("Idempotency-Key must not contain an API key");
        }
        String others = CONFIGURED.substring(0, CONFIGURED.length() - 1);
        assertThat(find(others)).as("the start of the key may be that of other names").contains(others);
    }

    @Test
    void hashesKeysOfStores() {
        String key = KeyToken.random().text();
        assertThat(find(key).orElseThrow()).hasSize(64).doesNotContain(key);
    }

    @Test
    void parsesKeysWithAndWithoutQuotes() {
        assertThat(find()).isEmpty();
        assertThat(find("a\\\"b")).contains("a\\\"b");
        assertThat(find(" \"a\\\"b\\\\\" ")).contains("a\"b\\");
        assertThat(find('"' + "\\\\".repeat(255) + '"')).contains("\\".repeat(255));
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
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> find(values))
                .withMessageContaining("Idempotency-Key must be one key of 1 to 255");
    }
}
