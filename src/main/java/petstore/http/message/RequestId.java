package petstore.http.message;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import petstore.KeyToken;

/// What the client and the log call a request.
public final class RequestId {

    /// The field that has it, in requests and answers.
    public static final String FIELD = "X-Request-Id";

    private static final int MAX_LENGTH = 128;

    private RequestId() {
    }

    /// The id that the client gives: 1 to 128 letters, digits and `.`, `_`, `-`, without an API key. Else one that is made here.
    public static String of(@Nullable String given) {
        if (given != null && isOne(given) && !KeyToken.isIn(given)) {
            return given;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }

    private static boolean isOne(String text) {
        return !text.isEmpty() && text.length() <= MAX_LENGTH && text.chars().allMatch(c -> (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-');
    }
}
