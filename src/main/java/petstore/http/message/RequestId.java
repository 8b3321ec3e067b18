package petstore.http.message;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/// The id of a request, in its response and in the log.
public final class RequestId {

    /// The header field of the id, in requests and responses.
    public static final String FIELD = "X-Request-Id";

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    private RequestId() {
    }

    /// Returns the client's id if it is 1 to 128 letters, digits, `.`, `_` and `-` without an API key. Else returns a new id.
    public static String of(@Nullable String given, KeyScanner keys) {
        if (given != null && VALID.matcher(given).matches() && !keys.isIn(given)) {
            return given;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }
}
