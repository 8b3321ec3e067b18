package petstore;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A rate limit of an API key: a bucket of `requests` tokens, refilled within `window`.
///
/// @param requests 1 to 999,999,999
/// @param window whole seconds, from one to 365 days
public record RateLimit(long requests, Duration window) {

    /// The strictest limit, for a key whose limit cannot be read.
    public static final RateLimit LEAST = new RateLimit(1, Duration.ofDays(365));

    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})/([1-9][0-9]{0,8}(?:s|m|h|(d)))");

    /// Parses a limit with any unit, e.g. `600/1m`, `10/1s`; absent if it is malformed or too long.
    public static Optional<RateLimit> find(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        // As in ISO 8601, where a T stands before units below a day.
        Duration window = Duration.parse((parts.group(3) == null ? "PT" : "P") + parts.group(2));
        return Optional.of(new RateLimit(Long.parseLong(parts.group(1)), window))
                .filter(limit -> limit.window.compareTo(LEAST.window) <= 0);
    }

    /// Returns the limit in seconds, e.g. `600/60s`.
    public String text() {
        return requests + "/" + window.toSeconds() + "s";
    }
}
