package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.Failure;
import petstore.KeyToken;
import petstore.Sha256;

/// The header field `Idempotency-Key` (IETF draft): a string of structured fields, also without quotes.
public final class IdempotencyHeader {

    public static final String NAME = "Idempotency-Key";
    /// Each character of a quoted key may be escaped. Source: RFC 9651 section 4.2.5.
    private static final Pattern FIELD = Pattern
            .compile("\"((?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255})\"|[!#-~][!-~]{0,254}");

    private IdempotencyHeader() {
    }

    /// Returns the key of a request; absent if it has none. A key that contains an API key of a store is hashed: the store must not keep a
    /// secret. The configured key is refused, because a short one could be guessed from its hash.
    ///
    /// @throws Failure of kind `INVALID_REQUEST` if the field is repeated, is not a key of 1 to 255 visible ASCII characters, or
    /// contains the configured API key
    public static Optional<String> find(HeaderFields headers, KeyScanner keys) {
        List<String> values = headers.all(NAME);
        if (values.isEmpty()) {
            return Optional.empty();
        }
        Matcher field = FIELD.matcher(values.getFirst().strip());
        if (values.size() > 1 || !field.matches()) {
            throw new Failure(Failure.Kind.INVALID_REQUEST,
                    "Idempotency-Key must be one key of 1 to 255 visible ASCII characters,"
                            + " with or without quotes");
        }
        String quoted = field.group(1);
        String key = quoted == null ? field.group() : quoted.replaceAll("\\\\(.)", "$1");
        if (keys.isConfiguredIn(key)) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, "Idempotency-Key must not contain an API key");
        }
        return Optional.of(KeyToken.isIn(key)
                ? HexFormat.of().formatHex(Sha256.of(key.getBytes(StandardCharsets.US_ASCII)))
                : key);
    }
}
