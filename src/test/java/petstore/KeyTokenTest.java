package petstore;

import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyTokenTest {

    private static final KeyToken TOKEN = KeyToken.random();

    @Test
    void parsesItsText() {
        assertThat(TOKEN.text()).matches("pets_[0-9A-Za-z]{48}");
        assertThat(KeyToken.parse(TOKEN.text())).contains(TOKEN);
    }

    @Test
    void refusesKeyWithChangedCharacter() {
        String text = TOKEN.text();
        for (int i = 0; i < text.length(); i++) {
            char other = text.charAt(i) == 'x' ? 'y' : 'x';
            assertThat(KeyToken.parse(text.substring(0, i) + other + text.substring(i + 1))).isEmpty();
        }
    }

    @Test
    void refusesKeyOfWrongLength() {
        assertThat(KeyToken.parse("")).isEmpty();
        assertThat(KeyToken.parse(TOKEN.text() + "0")).isEmpty();
        assertThat(KeyToken.parse(TOKEN.text().substring(0, TOKEN.text().length() - 1))).isEmpty();
    }

    @Test
    void hidesSecretInToString() {
        assertThat(TOKEN.toString()).contains(TOKEN.id()).doesNotContain(TOKEN.secret());
    }

    @Test
    void findsAndRedactsKeysInText() {
        String text = TOKEN.text();
        for (String pasted : List.of(text, text.substring(0, text.length() - 4), text + "wxyz", text + text,
                text.toUpperCase(Locale.ROOT), text.toLowerCase(Locale.ROOT), text.replace("_", "%5F"))) {
            for (String template : List.of("?", "Bearer ?", "(?)", "/v1/?/x", "a-?.b", "it is '?'", "\n?\n")) {
                assertThat(KeyToken.isIn(template.replace("?", pasted))).isTrue();
                assertThat(KeyToken.redacted(template.replace("?", pasted)))
                        .isEqualTo(template.replace("?", "[API key]"));
            }
        }
        for (String other : List.of("", "pets_", text.substring(0, text.length() - 5), text.substring(1),
                text.replace("_", "-"), "pets_" + "a b".repeat(20))) {
            assertThat(KeyToken.isIn(other)).isFalse();
            assertThat(KeyToken.redacted(other)).isEqualTo(other);
        }
    }

    @Test
    void createsUniqueKeys() {
        KeyToken other = KeyToken.random();
        assertThat(other.id()).isNotEqualTo(TOKEN.id());
        assertThat(other.secret()).isNotEqualTo(TOKEN.secret());
    }

    @Test
    void hashMatchesOnlyItsSecret() {
        ApiKey.SecretHash hash = ApiKey.SecretHash.ofHex(ApiKey.SecretHash.of(TOKEN.secret()).hex());
        assertThat(hash.matches(TOKEN.secret())).isTrue();
        assertThat(hash.matches(TOKEN.secret().toLowerCase(Locale.ROOT) + "x")).isFalse();
        assertThat(ApiKey.SecretHash.of("abc").hex())
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
