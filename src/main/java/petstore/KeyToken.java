package petstore;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/// The text that a client sends as its API key: `pets_`, an id, a secret and a checksum, all base 62.
///
/// The id is public: logs and `keys list` show it. The secret is shown once, and only the client keeps it. With the checksum,
/// mistyped keys are refused without asking the store, and secret scanners recognise leaked keys.
///
/// @param id 10 characters, e.g. `4fQ0c8sXbT`
/// @param secret 32 characters: 190.5 random bits
public record KeyToken(String id, String secret) {

    private static final String PREFIX = "pets_";

    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int ID_LENGTH = 10;
    private static final int SECRET_LENGTH = 32;
    private static final int CHECKSUM_LENGTH = 6;
    private static final int LENGTH = PREFIX.length() + ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;

    private static final int TYPOS = 4;
    /// Matches a key, also with a URL escape, in another case, without up to [#TYPOS] characters at its end, or with another key after
    /// it.
    private static final Pattern PASTED = Pattern.compile(
            "pets(?:_|%5f)[0-9a-z]{" + (LENGTH - TYPOS - PREFIX.length()) + "}[0-9a-z_%]*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SCHEME = Pattern.compile("^\\s*(?:Bearer\\s+)?", Pattern.CASE_INSENSITIVE);

    public static KeyToken random() {
        return new KeyToken(characters(ID_LENGTH), characters(SECRET_LENGTH));
    }

    /// Parses a key in the form of [#text]; absent for other text, and for a wrong checksum.
    public static Optional<KeyToken> parse(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        int secretAt = PREFIX.length() + ID_LENGTH;
        int checksumAt = secretAt + SECRET_LENGTH;
        return text.endsWith(checksum(text.substring(0, checksumAt)))
                ? Optional.of(new KeyToken(text.substring(PREFIX.length(), secretAt),
                        text.substring(secretAt, checksumAt)))
                : Optional.empty();
    }

    /// Returns true if the text contains an API key of any store.
    public static boolean isIn(String text) {
        return text.length() >= LENGTH - TYPOS && PASTED.matcher(text).find();
    }

    /// Returns the text with every API key in it replaced by `[API key]`.
    public static String redacted(String text) {
        return isIn(text) ? PASTED.matcher(text).replaceAll("[API key]") : text;
    }

    /// Returns true if a text that should be the id of a key is a whole key, which must not be shown. The key may have up to [#TYPOS]
    /// characters more or less, and `Bearer ` before it.
    public static boolean isPastedKey(String text) {
        String key = SCHEME.matcher(text).replaceFirst("").strip();
        return isIn(text) || (key.startsWith(PREFIX) && Math.abs(key.length() - LENGTH) <= TYPOS);
    }

    /// Returns the key with its secret. It must not be logged.
    public String text() {
        String text = PREFIX + id + secret;
        return text + checksum(text);
    }

    /// Returns the id without the secret, for messages.
    @Override
    public String toString() {
        return PREFIX + id + "…";
    }

    private static String characters(int count) {
        return new SecureRandom().ints(count, 0, ALPHABET.length())
                .collect(StringBuilder::new, (text, i) -> text.append(ALPHABET.charAt(i)), StringBuilder::append)
                .toString();
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        StringBuilder digits = new StringBuilder(CHECKSUM_LENGTH);
        for (long rest = crc.getValue(); digits.length() < CHECKSUM_LENGTH; rest /= ALPHABET.length()) {
            digits.append(ALPHABET.charAt((int) (rest % ALPHABET.length())));
        }
        return digits.reverse().toString();
    }
}
