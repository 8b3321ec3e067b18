package petstore;

import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/// Text of any origin, made safe for a message, a table, a line of the log or a command line.
public final class SafeText {

    /// The category `C`, which includes bidirectional controls and surrogates, and separators of lines and paragraphs.
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
    /// Also the characters that would end a name in the log, or look like an escape.
    private static final Pattern NOT_IN_NAMES = Pattern.compile("[\"=\\\\\\p{C}\\p{Zl}\\p{Zp}]");

    private SafeText() {
    }

    /// Returns the text with API keys replaced, and code points that are not printable escaped as in JSON, e.g. `\u202e`.
    public static String of(String text) {
        return escaped(text, UNPRINTABLE);
    }

    /// Returns the name of this program in a command line, as it was started, e.g. `./petstore`.
    public static String program() {
        return word(System.getProperty("petstore.command", "petstore"));
    }

    /// Returns a command line of this program that can be pasted, e.g. `./petstore keys list` if it was started as `./petstore`.
    ///
    /// @param arguments its words after the program, e.g. `keys list`
    public static String command(String arguments) {
        return program() + " " + arguments;
    }

    /// Returns a word of a shell's command line.
    public static String word(String text) {
        return text.matches("[A-Za-z0-9_./:@=+,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /// Returns the message of an error, with the indented lines of a library joined; empty without a message.
    public static String oneLine(@Nullable String message) {
        return message == null ? "" : message.strip().replaceAll("\\R[ \t]++", " ");
    }

    /// Returns the name of a key, in which characters that new names cannot have are escaped too.
    static String ofName(String name) {
        return escaped(name, NOT_IN_NAMES);
    }

    /// Returns a stack trace with safe lines, which keep their indentation.
    public static String ofTrace(String trace) {
        return trace.lines().map(line -> {
            String text = line.replaceFirst("^\t+", "");
            return line.substring(0, line.length() - text.length()) + of(text);
        }).collect(Collectors.joining("\n"));
    }

    private static String escaped(String text, Pattern unsafe) {
        return unsafe.matcher(KeyToken.redacted(text)).replaceAll(found -> found.group().chars()
                .mapToObj(unit -> "\\\\u" + HexFormat.of().toHexDigits((char) unit)).collect(Collectors.joining()));
    }
}
