package petstore.app;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import petstore.CommandFailure;

/// Supported values of OpenTelemetry's variables. The SDK ignores other values, or refuses them without naming the variable.
final class TracingVariables {

    private static final String OTLP = "OTEL_EXPORTER_OTLP_(TRACES_)?";
    private static final String ENTRY = "[^=,]+=[^,]*";
    private static final List<Rule> RULES = List.of(
            new Rule(OTLP + "PROTOCOL", "http/protobuf", matches("http/protobuf")),
            new Rule(OTLP + "ENDPOINT", "an address that begins with http:// or https://",
                    value -> value.matches("https?://.*") && URI.create(value).getHost() != null),
            new Rule(OTLP + "COMPRESSION", "gzip, none", matches("gzip|none")),
            new Rule(OTLP + "(CERTIFICATE|CLIENT_KEY|CLIENT_CERTIFICATE)", "the path of a readable file",
                    value -> Files.isReadable(Path.of(value))),
            new Rule(OTLP + "HEADERS|OTEL_RESOURCE_ATTRIBUTES", "key=value, separated by commas",
                    matches(ENTRY + "(?:," + ENTRY + ")*+,?")),
            new Rule(OTLP + "TIMEOUT|OTEL_BSP_(SCHEDULE_DELAY|EXPORT_TIMEOUT)", "milliseconds, or a time, e.g. 2s",
                    matches("[0-9]{1,9}(ms|s|m|h|d)?")),
            new Rule("OTEL_BSP_MAX_.*|OTEL_.*_COUNT_LIMIT", "a whole number of at least 1",
                    matches("0*[1-9][0-9]{0,8}")),
            new Rule("OTEL_.*_LENGTH_LIMIT", "a whole number of at least 0", matches("[0-9]{1,9}")),
            new Rule("OTEL_TRACES_EXPORTER", "otlp, none", matches("otlp|none")),
            new Rule("OTEL_(METRICS|LOGS)_EXPORTER", "none", matches("none")),
            new Rule("OTEL_TRACES_SAMPLER", "always_on, always_off, traceidratio, parentbased_always_on,"
                    + " parentbased_always_off, parentbased_traceidratio",
                    matches("(parentbased_)?(always_on|always_off|traceidratio)")),
            new Rule("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1",
                    value -> Double.parseDouble(value) >= 0 && Double.parseDouble(value) <= 1),
            new Rule("OTEL_PROPAGATORS", "tracecontext, baggage, none",
                    matches("none|(?:(?:tracecontext|baggage)(?:,|$))++")),
            new Rule("OTEL_SDK_DISABLED", "true, false", matches("(?i)true|false")));

    /// @param names the pattern of the variables' names
    /// @param accepts returns false or throws `IllegalArgumentException` for a value that is not supported
    private record Rule(String names, String supported, Predicate<String> accepts) {

        void check(String name, String value) {
            if (name.matches(names) && !value.isEmpty() && !isSupported(value)) {
                // Headers may have a secret.
                throw new CommandFailure("traces cannot be sent: " + name
                        + (name.endsWith("HEADERS") ? "" : "=" + value) + " is not supported; supported: " + supported);
            }
        }

        private boolean isSupported(String value) {
            try {
                return accepts.test(value);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }

    private TracingVariables() {
    }

    /// Throws a [CommandFailure] that names the variable and its supported values, if a value is not supported.
    static void check(Map<String, String> environment) {
        new TreeMap<>(environment).forEach((name, value) -> RULES.forEach(rule -> rule.check(name, value)));
    }

    private static Predicate<String> matches(String values) {
        return Pattern.compile(values).asMatchPredicate();
    }
}
