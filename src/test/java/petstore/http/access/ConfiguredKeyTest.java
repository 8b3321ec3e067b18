package petstore.http.access;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConfiguredKeyTest {

    private static final String TEXT = "a key öf many characters";
    private static final ConfiguredKey KEY = new ConfiguredKey(TEXT, Instant.EPOCH);

    @Test
    void isMatchedByItsText() {
        assertThat(KEY.matches(TEXT)).isTrue();
    }

    @Test
    void isMatchedByNothingElse() {
        assertThat(KEY.matches("")).isFalse();
        assertThat(KEY.matches(TEXT + "s")).isFalse();
        assertThat(KEY.matches(TEXT.substring(1))).isFalse();
        for (int i = 0; i < TEXT.length(); i++) {
            char other = TEXT.charAt(i) == 'x' ? 'y' : 'x';
            assertThat(KEY.matches(TEXT.substring(0, i) + other + TEXT.substring(i + 1))).isFalse();
        }
    }
}
