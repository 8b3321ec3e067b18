package petstore.app;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import petstore.CommandFailure;
import petstore.SafeText;

/// OpenTelemetry's SDK, set up by the standard variables. Without an endpoint, no spans are sent.
public record OpenTelemetrySetup(Optional<OpenTelemetrySdk> sdk) implements AutoCloseable {

    private static final List<String> ENDPOINTS = List.of("OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    /// Only traces are sent; metrics are scraped.
    private static final Map<String, String> DEFAULTS = Map.of("otel.service.name", "petstore",
            "otel.exporter.otlp.protocol", "http/protobuf", "otel.metrics.exporter", "none", "otel.logs.exporter",
            "none");
    private static final String ENTRY = "[^=,]+=(?:[^,%]|%[0-9A-Fa-f]{2})*+";
    /// Pairs, in which `%` begins an octet.
    private static final Pattern HEADERS = Pattern.compile(ENTRY + "(?:," + ENTRY + ")*+,?");
    private static final long CLOSING_SECONDS = 1;
    /// The SDK throws the reason of a failure. Besides, it logs at level INFO that there was one.
    private static final Logger SDK_LOG = Logger.getLogger(AutoConfiguredOpenTelemetrySdk.class.getPackageName());

    /// Starts the SDK if the environment has an endpoint. Errors: [CommandFailure] for values that the SDK refuses.
    public static OpenTelemetrySetup start(Map<String, String> environment) {
        if (ENDPOINTS.stream().allMatch(name -> environment.getOrDefault(name, "").isEmpty())) {
            return new OpenTelemetrySetup(Optional.empty());
        }
        requireHeaders(environment);
        SDK_LOG.setLevel(Level.WARNING);
        try {
            return new OpenTelemetrySetup(Optional.of(AutoConfiguredOpenTelemetrySdk.builder().disableShutdownHook()
                    .addPropertiesCustomizer(_ -> properties(environment)).build()
                    .getOpenTelemetrySdk()));
        } catch (ConfigurationException | IllegalArgumentException | IllegalStateException e) {
            String cause = e.getCause() == null ? "" : ": " + e.getCause().getMessage();
            throw new CommandFailure("traces cannot be sent: " + SafeText.oneLine(e.getMessage() + cause) + " (see "
                    + String.join(", ", variables(environment).keySet()) + ")", e);
        }
    }

    /// Throws a [CommandFailure] for headers that the SDK would refuse: its error would show them, and they may have a secret.
    static void requireHeaders(Map<String, String> environment) {
        variables(environment).forEach((name, value) -> {
            if (name.endsWith("HEADERS") && !HEADERS.matcher(value).matches()) {
                throw new CommandFailure("traces cannot be sent: " + name
                        + " must be key=value, separated by commas, in which %2C is a comma and %25 a percent sign");
            }
        });
    }

    /// Returns the variables of OpenTelemetry, sorted. An empty variable counts as not set.
    private static Map<String, String> variables(Map<String, String> environment) {
        Map<String, String> variables = new TreeMap<>(environment);
        variables.entrySet().removeIf(each -> !each.getKey().startsWith("OTEL_") || each.getValue().isEmpty());
        return variables;
    }

    /// Returns the variables as the SDK's properties, e.g. `otel.service.name`.
    private static Map<String, String> properties(Map<String, String> environment) {
        Map<String, String> properties = new HashMap<>(DEFAULTS);
        variables(environment)
                .forEach((name, value) -> properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value));
        return properties;
    }

    public Optional<Tracer> tracer() {
        return sdk.map(open -> open.getTracer("petstore"));
    }

    /// Sends the last spans, for a second at most.
    @Override
    public void close() {
        sdk.ifPresent(open -> open.shutdown().join(CLOSING_SECONDS, TimeUnit.SECONDS));
    }
}
