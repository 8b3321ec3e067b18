package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import petstore.Failure;
import petstore.Failure.Kind;
import petstore.KeyToken;
import petstore.Sha256;

/// The `Idempotency-Key` field (IETF draft), a structured-field string or the same without quotes.
public final class IdempotencyHeader {

    private static final String NAME = "Idempotency-Key";
    private static final int MAX_LENGTH = 255;

    private IdempotencyHeader() {
    }

    /// Returns the key of a request; empty if it has none. A key that contains an API key is hashed: the store must not keep a
    /// secret.
    ///
    /// @throws Failure of kind `INVALID_REQUEST` if the field is repeated, or is no key of 1 to 255 visible ASCII characters
    public static Optional<String> find(HeaderFields headers) {
        if (!headers.contains(NAME)) {
            return Optional.empty();
        }
        List<String> values = headers.all(NAME);
        String key = values.size() == 1 ? key(values.getFirst().strip()) : "";
        if (key.isEmpty()) {
            throw new Failure(Kind.INVALID_REQUEST,
                    "Idempotency-Key must be one key of 1 to 255 visible ASCII characters,"
                            + " with or without quotes");
        }
        return Optional.of(KeyToken.isIn(key)
                ? HexFormat.of().formatHex(Sha256.of(key.getBytes(StandardCharsets.US_ASCII)))
                : key);
    }

    /// Returns the key that a field has; empty if it is malformed. Source: RFC 9651 section 4.2.5.
    private static String key(String value) {
        boolean quoted = value.startsWith("\"");
        StringBuilder key = new StringBuilder();
        for (int i = quoted ? 1 : 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (quoted && c == '"') {
                return i == value.length() - 1 ? key.toString() : "";
            }
            if (quoted && c == '\\') {
                i++;
                c = i < value.length() ? value.charAt(i) : ' ';
                if (c != '"' && c != '\\') {
                    return "";
                }
            }
            if (c <= ' ' || c > '~' || key.length() == MAX_LENGTH) {
                return "";
            }
            key.append(c);
        }
        return quoted ? "" : key.toString();
    }
}
