package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.Failure;
import petstore.Failure.Kind;
import petstore.KeyToken;
import petstore.Sha256;

/// The header field `Idempotency-Key` (IETF draft): a string of structured fields, also without quotes.
public final class IdempotencyHeader {

    private static final String NAME = "Idempotency-Key";
    private static final int MAX_LENGTH = 255;
    /// Each character may be escaped.
    private static final int MAX_FIELD_LENGTH = 2 * MAX_LENGTH + 2;
    private static final Pattern FIELD = Pattern.compile("\"((?:[!#-\\[\\]-~]|\\\\[\"\\\\])+)\"|[!#-~][!-~]*");

    private IdempotencyHeader() {
    }

    /// Returns the key of a request; absent if it has none. A key that contains an API key is hashed: the store must not keep a
    /// secret.
    ///
    /// @throws Failure of kind `INVALID_REQUEST` if the field is repeated, or not a key of 1 to 255 visible ASCII characters
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

    /// Returns the key of a field; empty if it is malformed. Source: RFC 9651 section 4.2.5.
    private static String key(String value) {
        Matcher field = FIELD.matcher(value);
        if (value.length() > MAX_FIELD_LENGTH || !field.matches()) {
            return "";
        }
        String quoted = field.group(1);
        String key = quoted == null ? value : quoted.replaceAll("\\\\(.)", "$1");
        return key.length() > MAX_LENGTH ? "" : key;
    }
}
