package petstore;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How many requests an API key may send: a bucket of `requests` tokens that fills up again within `window`.
///
/// @param requests 1 to 999,999,999
/// @param window whole seconds, from one to 365 days
public record RateLimit(long requests, Duration window) {

    /// What holds for a key whose own limit cannot be read: it was to be held back.
    public static final RateLimit LEAST = new RateLimit(1, Duration.ofDays(365));

    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})/([1-9][0-9]{0,8})(s|m|h|d)");

    /// Reads what [#text] writes, with any unit: `600/1m`, `10/1s`; absent when it is something else.
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

    /// The limit as text, e.g. `600/60s`.
    public String text() {
        return requests + "/" + window.toSeconds() + "s";
    }
}
