package petstore.app;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.TypeConversionException;

/// Reads durations as people write them.
final class Durations {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of("ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));

    private Durations() {
    }

    /// A whole number and a unit: `500ms`, `30s`, `10m`, `24h`, `90d`; more than nothing.
    static Duration parse(String text) {
        Matcher parts = FORM.matcher(text);
        Duration unit = parts.matches() ? UNITS.get(parts.group(2)) : null;
        Duration duration = unit == null ? Duration.ZERO : unit.multipliedBy(Long.parseLong(parts.group(1)));
        if (duration.isZero()) {
            throw new TypeConversionException("'" + text + "' is not a duration such as 500ms, 30s, 10m, 24h or 90d");
        }
        return duration;
    }
}
