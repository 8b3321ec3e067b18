package petstore.http.message;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.KeyToken;

/// Finds API keys in text of clients, so that no response, log or store repeats them: keys of any store, and the configured key.
public final class KeyScanner {

    private static final Pattern ESCAPE = Pattern.compile("%([0-9A-Fa-f]{2})");

    private final Optional<Pattern> configured;

    /// @param configuredKey the key that is accepted besides those of the store, of 16 characters or more
    public KeyScanner(Optional<String> configuredKey) {
        configured = configuredKey.map(key -> Pattern.compile(Pattern.quote(key), Pattern.CASE_INSENSITIVE));
    }

    /// Returns true if the text contains an API key, also with URL escapes or in another case.
    public boolean isIn(String text) {
        return KeyToken.isIn(text) || isConfiguredIn(text);
    }

    /// Returns true if the text contains the whole configured key, as in [#isIn]. Its end may be its only secret part.
    boolean isConfiguredIn(String text) {
        return configured.isPresent() && (configured.get().matcher(text).find()
                || (text.indexOf('%') >= 0 && configured.get().matcher(decoded(text)).find()));
    }

    /// Returns the text without URL escapes, each a character of Latin-1. Malformed escapes stay as they are.
    public static String decoded(String text) {
        return ESCAPE.matcher(text).replaceAll(escape -> Matcher
                .quoteReplacement(String.valueOf((char) HexFormat.fromHexDigits(escape.group(1)))));
    }
}
