package petstore.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Decodes UTF-8 and refuses malformed bytes.
public final class StrictUtf8 {

    /// Java's replacement for malformed bytes; a text may also contain it.
    private static final char REPLACEMENT = '\uFFFD';

    private StrictUtf8() {
    }

    public static Optional<String> decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        boolean isValid = text.indexOf(REPLACEMENT) < 0 || Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes);
        return isValid ? Optional.of(text) : Optional.empty();
    }
}
