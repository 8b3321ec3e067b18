package petstore;

import java.util.HexFormat;
import java.util.stream.Collectors;

/// Text of any origin, made safe for a message, a table or a line of the log.
public final class SafeText {

    private SafeText() {
    }

    /// Returns the text with API keys replaced, and code points that are not printable escaped as in JSON, e.g. `\u202e`.
    public static String of(String text) {
        return of(text, "");
    }

    /// Returns a stack trace with safe lines, which keep their indentation.
    public static String ofTrace(String trace) {
        return trace.lines().map(line -> {
            String text = line.replaceFirst("^\t+", "");
            return line.substring(0, line.length() - text.length()) + of(text);
        }).collect(Collectors.joining("\n"));
    }

    /// @param more other characters to escape
    static String of(String text, String more) {
        String known = KeyToken.redacted(text);
        StringBuilder safe = new StringBuilder();
        int copied = 0;
        int next;
        for (int i = 0; i < known.length(); i = next) {
            int codePoint = known.codePointAt(i);
            next = i + Character.charCount(codePoint);
            if (!isPrintable(codePoint) || more.indexOf(codePoint) >= 0) {
                safe.append(known, copied, i);
                known.substring(i, next).chars().forEach(
                        unit -> safe.append("\\u").append(HexFormat.of().toHexDigits((char) unit)));
                copied = next;
            }
        }
        return copied == 0 ? known : safe.append(known, copied, known.length()).toString();
    }

    /// Bidirectional characters are of type `FORMAT`.
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
                false;
            default -> true;
        };
    }
}
