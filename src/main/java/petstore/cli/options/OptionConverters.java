package petstore.cli.options;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.Failure;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.Scope;
import petstore.http.BaseUrl;
import petstore.http.message.TrustedProxies;
import petstore.http.message.UriHost;
import petstore.store.postgres.PostgresUri;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Converters for the values of options. Errors: `TypeConversionException` with the expected form.
public final class OptionConverters {

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    /// A token of RFC 9110 section 5.6.2.
    private static final Pattern FIELD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Map<String, ChronoUnit> UNITS = Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);
    /// RFC 3339 has years of four digits.
    private static final Instant LAST_MOMENT = Instant.parse("9999-12-31T23:59:59.999Z");
    private static final Duration MAX_DURATION = Duration.ofDays(36_500);

    /// Advice for an API key in the place of its id.
    public static final String ID_OF_KEY = "the id is the 10 characters after pets_";

    private OptionConverters() {
    }

    /// Registers the converters for the types of options, at all commands.
    public static void register(CommandLine program) {
        program.registerConverter(Duration.class, OptionConverters::duration)
                .registerConverter(Instant.class, OptionConverters::instant)
                .registerConverter(RateLimit.class, OptionConverters::rateLimit)
                .registerConverter(Scope.class, OptionConverters::scope)
                .registerConverter(Path.class, OptionConverters::path)
                .registerConverter(TrustedProxies.Network.class, OptionConverters::network)
                .registerConverter(BaseUrl.class, of(BaseUrl::parse))
                .registerConverter(PostgresUri.class, of(PostgresUri::parse));
    }

    /// Returns a converter with the messages of a parser, which do not show the text: it may hold a password.
    private static <T> ITypeConverter<T> of(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (Failure e) {
                throw new TypeConversionException(e.getMessage());
            }
        };
    }

    private static TypeConversionException isNot(String expected, String text) {
        return new TypeConversionException("'" + text + "' is not " + expected);
    }

    /// Returns a duration of at most 100 years, e.g. of `500ms`, `30s`, `10m`, `24h` or `90d`; never zero.
    static Duration duration(String text) {
        Matcher parts = DURATION.matcher(text);
        ChronoUnit unit = parts.matches() ? UNITS.get(parts.group(2)) : null;
        if (unit == null) {
            throw isNot("a duration such as 500ms, 30s, 10m, 24h or 90d", text);
        }
        Duration duration = Duration.of(Long.parseLong(parts.group(1)), unit);
        if (duration.isZero()) {
            throw new TypeConversionException("'" + text + "' is too short; the least is 1ms");
        }
        if (duration.compareTo(MAX_DURATION) > 0) {
            throw new TypeConversionException("'" + text + "' is longer than " + MAX_DURATION.toDays() + "d");
        }
        return duration;
    }

    /// A port, or 0 for a free port.
    public static final class Port implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, "a port", 0, 65_535);
        }
    }

    static final class Connections implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, "a number", 1, Integer.MAX_VALUE);
        }
    }

    static final class Readers implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, "a number", 1, 1_000);
        }
    }

    private static int number(String text, String noun, int least, int most) {
        if (!text.matches("[0-9]{1,10}") || Long.parseLong(text) < least || Long.parseLong(text) > most) {
            throw isNot(noun + " between " + least + " and " + most, text);
        }
        return Integer.parseInt(text);
    }

    /// A host name or an IP address; an IPv6 address may have the brackets of a URL.
    public static final class Host implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String host = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
            if (!UriHost.isHostName(text) && !UriHost.isIpv6Address(host)) {
                throw isNot("an address such as 127.0.0.1, ::1 or localhost", text);
            }
            return host;
        }
    }

    /// The id of an API key. The error message does not show a key in its place.
    public static final class KeyId implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (KeyToken.isPastedKey(text)) {
                throw new TypeConversionException("this is a whole key; " + ID_OF_KEY);
            }
            return text;
        }
    }

    /// Returns a path. An empty path would be the current folder.
    static Path path(String text) {
        if (text.isEmpty()) {
            throw isNot("a path", text);
        }
        return Path.of(text);
    }

    /// A duration, or `0s` for none.
    static final class Delay implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return text.equals("0s") ? Duration.ZERO : duration(text);
        }
    }

    /// Returns a moment, e.g. of `2027-01-31T12:00:00Z`, or the beginning of a day in UTC, of `2027-01-31`; in milliseconds, as
    /// stores keep it.
    static Instant instant(String text) {
        try {
            Instant moment = text.contains("T")
                    ? Instant.parse(text)
                    : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
            if (moment.isAfter(LAST_MOMENT)) {
                throw new DateTimeException(text);
            }
            return Instant.ofEpochMilli(moment.toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            throw isNot("a moment such as 2027-01-31 or 2027-01-31T12:00:00Z", text);
        }
    }

    static RateLimit rateLimit(String text) {
        return RateLimit.find(text)
                .orElseThrow(() -> isNot("a rate limit such as 600/1m or 10/1s, of 1 request or more over at most 365d",
                        text));
    }

    /// An origin as browsers send it: scheme, host, and a port unless it is the default port.
    static final class Origin implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String authority = text.replaceFirst("^https?://", "");
            int end = UriHost.end(authority);
            String host = authority.substring(0, end);
            String port = authority.substring(end);
            boolean defaultPort = port.equals(text.startsWith("https") ? ":443" : ":80");
            if (authority.equals(text) || defaultPort || !text.equals(text.toLowerCase(Locale.ROOT))
                    || !(UriHost.isHostName(host) || UriHost.isIpLiteral(host))
                    || (!port.isEmpty() && (port.startsWith(":0") || !UriHost.isPort(port.substring(1))))) {
                throw isNot("an origin as browsers send it, such as https://shop.example or http://localhost:3000",
                        text);
            }
            return text;
        }
    }

    /// Returns a network in CIDR notation, or one address.
    static TrustedProxies.Network network(String text) {
        return TrustedProxies.Network.find(text).orElseThrow(() -> isNot("a network such as 10.0.0.0/8,"
                + " 2001:db8::/32 or 192.0.2.7; all bits behind the prefix are 0", text));
    }

    /// The name of a header field that lists addresses.
    static final class AddressField implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (text.equalsIgnoreCase("Forwarded")) {
                throw new TypeConversionException("the form of '" + text + "' (RFC 7239) is not supported;"
                        + " let the proxy send " + TrustedProxies.USUAL_FIELD);
            }
            if (!FIELD.matcher(text).matches()) {
                throw isNot("the name of a header field such as " + TrustedProxies.USUAL_FIELD, text);
            }
            return text;
        }
    }

    /// The texts of all scopes, for suggestions and completion.
    public static final class Scopes implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Scope.values()).map(Scope::text).iterator();
        }
    }

    static Scope scope(String text) {
        return Scope.find(text).orElseThrow(() -> isNot("one of " + String.join(", ", new Scopes()), text));
    }
}
