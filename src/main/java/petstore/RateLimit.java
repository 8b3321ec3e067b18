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

    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})/([1-9][0-9]{0,8})(s|m|h|d)");

    /// Parses a limit with any unit, e.g. `600/1m`, `10/1s`; absent if it is malformed or too long.
    public static Optional<RateLimit> find(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        long count = Long.parseLong(parts.group(2));
        Duration window = switch (parts.group(3)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
        return window.compareTo(LEAST.window()) > 0
                ? Optional.empty()
                : Optional.of(new RateLimit(Long.parseLong(parts.group(1)), window));
    }

    /// Returns the limit in seconds, e.g. `600/60s`.
    public String text() {
        return requests + "/" + window.toSeconds() + "s";
    }
}
