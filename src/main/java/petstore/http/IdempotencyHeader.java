package petstore.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import petstore.Failure;
import petstore.Failure.Kind;

/// The `Idempotency-Key` field (IETF draft), a structured-field string or the same without quotes.
final class IdempotencyHeader {

    private static final CharSequence NAME = HttpHeaders.createOptimized("Idempotency-Key");
    /// Without quotes and backslashes that are not escaped.
    private static final Pattern QUOTED = Pattern.compile("\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\])*\"");
    private static final Pattern KEY = Pattern.compile("[!-~]{1,255}");

    private IdempotencyHeader() {
    }

    /// The key that a request carries; absent when it carries none.
    ///
    /// @throws Failure of kind `INVALID_REQUEST` when the field is repeated, or is no key of 1 to 255 visible ASCII characters
    static Optional<String> find(MultiMap headers) {
        if (!headers.contains(NAME)) {
            return Optional.empty();
        }
        List<String> values = headers.getAll(NAME);
        String key = values.size() == 1 ? unquoted(values.getFirst().strip()) : "";
        if (!KEY.matcher(key).matches()) {
            throw new Failure(Kind.INVALID_REQUEST,
                    "Idempotency-Key must be one key of 1 to 255 visible ASCII characters,"
                            + " with or without quotes");
        }
        return Optional.of(key);
    }

    private static String unquoted(String value) {
        if (!value.startsWith("\"")) {
            return value;
        }
        return QUOTED.matcher(value).matches()
                ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1")
                : "";
    }
}
