package petstore.cli.options;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.Failure;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.Scope;
import petstore.http.BaseUrl;
import petstore.http.message.UriHost;
import petstore.store.postgres.PostgresUri;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads the values of options as people write them. Errors: `TypeConversionException`, which says what is expected.
public final class OptionConverters {

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Map<String, ChronoUnit> UNITS = Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final int GREATEST_PORT = 65_535;
    private static final int MOST_READERS = 1_000;

    /// Advice for a command line that has a whole API key.
    public static final String ID_OF_KEY = "the id is the 10 characters after pets_";

    private OptionConverters() {
    }

    /// A whole number and a unit: `500ms`, `30s`, `10m`, `24h`, `90d`; more than nothing, and no more than a hundred years.
    public static Duration duration(String text) {
        Matcher parts = DURATION.matcher(text);
        ChronoUnit unit = parts.matches() ? UNITS.get(parts.group(2)) : null;
        Duration duration = unit == null ? Duration.ZERO : Duration.of(Long.parseLong(parts.group(1)), unit);
        if (duration.isZero()) {
            throw new TypeConversionException("'" + text + "' is not a duration such as 500ms, 30s, 10m, 24h or 90d");
        }
        if (duration.compareTo(LONGEST) > 0) {
            throw new TypeConversionException("'" + text + "' is longer than " + LONGEST.toDays() + "d");
        }
        return duration;
    }

    /// The number of a port, or 0 for a free one.
    public static final class Port implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, "a port", 0, GREATEST_PORT);
        }
    }

    /// How many connections there may be.
    static final class Connections implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, "a number", 1, Integer.MAX_VALUE);
        }
    }

    /// How many requests may read from a database at once.
    static final class Readers implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, "a number", 1, MOST_READERS);
        }
    }

    private static int number(String text, String what, int least, int most) {
        if (!text.matches("[0-9]{1,10}") || Long.parseLong(text) < least || Long.parseLong(text) > most) {
            throw new TypeConversionException("'" + text + "' is not " + what + " between " + least + " and " + most);
        }
        return Integer.parseInt(text);
    }

    /// The name or the address of a host; an IPv6 address may have the brackets that it has in a URL.
    public static final class Host implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String host = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
            boolean named = host.equals(text) && UriHost.isHostName(host);
            if (!named && !UriHost.isIpv6Address(host)) {
                throw new TypeConversionException(
                        "'" + text + "' is not an address such as 127.0.0.1, ::1 or localhost");
            }
            return host;
        }
    }

    /// The id of an API key. The error does not show a key that was given in its place.
    public static final class KeyId implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (KeyToken.isInsteadOfId(text)) {
                throw new TypeConversionException("this is a whole key; " + ID_OF_KEY);
            }
            return text;
        }
    }

    /// Where a file or a folder is. An empty text would be the current folder.
    static final class Location implements ITypeConverter<Path> {
        @Override
        public Path convert(String text) {
            if (text.isEmpty()) {
                throw new TypeConversionException("'' is not a path");
            }
            return Path.of(text);
        }
    }

    /// A duration, or `0s` for none.
    static final class Delay implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return text.equals("0s") ? Duration.ZERO : duration(text);
        }
    }

    /// A moment, `2027-01-31T12:00:00Z`, or the beginning of a day in UTC, `2027-01-31`; to the millisecond, as stores keep it.
    public static Instant instant(String text) {
        try {
            Instant moment = text.contains("T")
                    ? Instant.parse(text)
                    : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
            return Instant.ofEpochMilli(moment.toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            throw new TypeConversionException(
                    "'" + text + "' is not a moment such as 2027-01-31 or 2027-01-31T12:00:00Z");
        }
    }

    /// A host and a port as they stand in a URL, e.g. `127.0.0.1:8080` or `[::1]:8080`.
    public static String address(String host, int port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /// A count and a time, `600/1m`.
    public static RateLimit rateLimit(String text) {
        return RateLimit.find(text).orElseThrow(
                () -> new TypeConversionException(
                        "'" + text + "' is not a rate limit such as 600/1m or 10/1s, over at most 365d"));
    }

    /// An origin as browsers send it: scheme, host, and a port when it is not the usual one.
    static final class Origin implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String authority = text.replaceFirst("^https?://", "");
            int end = UriHost.end(authority);
            String host = authority.substring(0, end);
            String port = authority.substring(end);
            boolean usualPort = port.equals(text.startsWith("https") ? ":443" : ":80");
            if (authority.equals(text) || usualPort || !text.equals(text.toLowerCase(Locale.ROOT))
                    || !(UriHost.isHostName(host) || UriHost.isIpLiteral(host))
                    || (!port.isEmpty() && (port.startsWith(":0") || !UriHost.isPort(port.substring(1))))) {
                throw new TypeConversionException("'" + text + "' is not an origin as browsers send it, such as"
                        + " https://shop.example or http://localhost:3000");
            }
            return text;
        }
    }

    /// Where clients find the API. The error does not show the text, which may have a password in it.
    public static BaseUrl baseUrl(String text) {
        return orRefuse(() -> BaseUrl.parse(text));
    }

    /// Where a PostgreSQL database is. The error does not show the text, which may have a password in it.
    public static PostgresUri database(String text) {
        return orRefuse(() -> PostgresUri.parse(text));
    }

    private static <T> T orRefuse(Supplier<T> parsed) {
        try {
            return parsed.get();
        } catch (Failure e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    public static Scope scope(String text) {
        return Scope.find(text)
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of " + Scope.choices()));
    }
}
