package petstore;

import java.security.SecureRandom;
import java.util.Locale;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyTokenTest {

    private static final KeyToken TOKEN = KeyToken.random(new SecureRandom());

    @Test
    void readsWhatItWrites() {
        assertThat(TOKEN.text()).matches("pets_[0-9A-Za-z]{48}");
        assertThat(KeyToken.parse(TOKEN.text())).contains(TOKEN);
    }

    @Test
    void refusesAKeyWithAnyOneCharacterChanged() {
        String text = TOKEN.text();
        for (int i = 0; i < text.length(); i++) {
            char other = text.charAt(i) == 'x' ? 'y' : 'x';
            assertThat(KeyToken.parse(text.substring(0, i) + other + text.substring(i + 1))).isEmpty();
        }
    }

    @Test
    void refusesAKeyThatIsLongerOrShorter() {
        assertThat(KeyToken.parse("")).isEmpty();
        assertThat(KeyToken.parse(TOKEN.text() + "0")).isEmpty();
        assertThat(KeyToken.parse(TOKEN.text().substring(0, TOKEN.text().length() - 1))).isEmpty();
    }

    @Test
    void hidesTheSecretWhenPrinted() {
        assertThat(TOKEN.toString()).contains(TOKEN.id()).doesNotContain(TOKEN.secret());
    }

    @Test
    void makesAnotherKeyEachTime() {
        KeyToken other = KeyToken.random(new SecureRandom());
        assertThat(other.id()).isNotEqualTo(TOKEN.id());
        assertThat(other.secret()).isNotEqualTo(TOKEN.secret());
    }

    @Test
    void aHashRecognisesItsSecretAlone() {
        SecretHash hash = SecretHash.ofHex(SecretHash.of(TOKEN.secret()).hex());
        assertThat(hash.matches(TOKEN.secret())).isTrue();
        assertThat(hash.matches(TOKEN.secret().toLowerCase(Locale.ROOT) + "x")).isFalse();
        assertThat(SecretHash.of("abc").hex())
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
