package petstore.app;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import petstore.CommandFailure;

/// OpenTelemetry's SDK, set up by the standard variables. Without an endpoint, no spans are sent.
public record OpenTelemetrySetup(Optional<OpenTelemetrySdk> sdk) implements AutoCloseable {

    private static final List<String> ENDPOINTS = List.of("OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    /// Only traces are sent; metrics are scraped.
    private static final Map<String, String> DEFAULTS = Map.of("otel.service.name", "petstore",
            "otel.exporter.otlp.protocol", "http/protobuf", "otel.metrics.exporter", "none", "otel.logs.exporter",
            "none");
    private static final long CLOSING_SECONDS = 1;

    /// Starts the SDK if the environment has an endpoint. Errors: [CommandFailure] for values that are not supported.
    public static OpenTelemetrySetup start(Map<String, String> environment) {
        if (ENDPOINTS.stream().allMatch(name -> environment.getOrDefault(name, "").isEmpty())) {
            return new OpenTelemetrySetup(Optional.empty());
        }
        TracingVariables.check(environment);
        try {
            return new OpenTelemetrySetup(Optional.of(AutoConfiguredOpenTelemetrySdk.builder().disableShutdownHook()
                    .addPropertiesCustomizer(_ -> properties(environment)).build()
                    .getOpenTelemetrySdk()));
        } catch (ConfigurationException | IllegalArgumentException | IllegalStateException e) {
            throw new CommandFailure("traces cannot be sent: " + e.getMessage(), e);
        }
    }

    /// Returns the variables as the SDK's properties, e.g. `otel.service.name`. An empty variable counts as not set.
    private static Map<String, String> properties(Map<String, String> environment) {
        Map<String, String> properties = new HashMap<>(DEFAULTS);
        environment.forEach((name, value) -> {
            if (name.startsWith("OTEL_") && !value.isEmpty()) {
                properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
            }
        });
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
