package petstore;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/// The text that a client sends as its API key: `pets_`, an id, a secret and a checksum, all base 62.
///
/// The id is public (logs and `keys list` show it), the secret is shown once and kept by the client alone. The checksum
/// lets a mistyped key be refused without a look at the store, and lets secret scanners recognise a leaked one.
///
/// @param id 10 characters, e.g. `4fQ0c8sXbT`
/// @param secret 32 characters: 190.5 random bits
public record KeyToken(String id, String secret) {

    /// What every key begins with.
    private static final String PREFIX = "pets_";

    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int ID_LENGTH = 10;
    private static final int SECRET_LENGTH = 32;
    private static final int CHECKSUM_LENGTH = 6;
    private static final int LENGTH = PREFIX.length() + ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;

    private static final int TYPOS = 4;
    /// A key, also one that a URL escapes, that lost its case, or up to [#TYPOS] characters at its end; and another right behind it.
    private static final Pattern PASTED = Pattern.compile(
            "pets(?:_|%5f)[0-9a-z]{" + (LENGTH - TYPOS - PREFIX.length()) + "}[0-9a-z_%]*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SCHEME = Pattern.compile("^\\s*(?:Bearer\\s+)?", Pattern.CASE_INSENSITIVE);

    /// A key that nobody has yet.
    public static KeyToken random(SecureRandom random) {
        return new KeyToken(characters(random, ID_LENGTH), characters(random, SECRET_LENGTH));
    }

    /// Reads what [#text] writes; absent when it is not a key at all or its checksum does not fit.
    public static Optional<KeyToken> parse(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        int secretAt = PREFIX.length() + ID_LENGTH;
        int checksumAt = secretAt + SECRET_LENGTH;
        if (!text.endsWith(checksum(text.substring(0, checksumAt)))) {
            return Optional.empty();
        }
        return Optional.of(new KeyToken(text.substring(PREFIX.length(), secretAt),
                text.substring(secretAt, checksumAt)));
    }

    /// Returns whether the text contains an API key, of any store.
    public static boolean isIn(String text) {
        return text.length() >= LENGTH - TYPOS && PASTED.matcher(text).find();
    }

    /// Returns the text with every API key in it replaced by `[API key]`.
    public static String redacted(String text) {
        return isIn(text) ? PASTED.matcher(text).replaceAll("[API key]") : text;
    }

    /// Returns whether a key was given in the place of its id: the text contains a key, or is as long as a key, give or take [#TYPOS]
    /// characters, also behind `Bearer `.
    public static boolean isInsteadOfId(String text) {
        String key = SCHEME.matcher(text).replaceFirst("").strip();
        return isIn(text) || (key.startsWith(PREFIX) && Math.abs(key.length() - LENGTH) <= TYPOS);
    }

    /// The key as its owner sends it. Whoever has it is its owner: it must not be logged.
    public String text() {
        String text = PREFIX + id + secret;
        return text + checksum(text);
    }

    /// The id alone, so that a key that ends up in a message gives nothing away.
    @Override
    public String toString() {
        return PREFIX + id + "…";
    }

    private static String characters(SecureRandom random, int count) {
        return random.ints(count, 0, ALPHABET.length())
                .collect(StringBuilder::new, (text, i) -> text.append(ALPHABET.charAt(i)), StringBuilder::append)
                .toString();
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        long rest = crc.getValue();
        char[] digits = new char[CHECKSUM_LENGTH];
        for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
            digits[i] = ALPHABET.charAt((int) (rest % ALPHABET.length()));
            rest /= ALPHABET.length();
        }
        return new String(digits);
    }
}
