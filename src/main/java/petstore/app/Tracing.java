package petstore.app;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import petstore.Failure;

/// OpenTelemetry's SDK, which sends spans to where the standard variables say; nothing at all when they name no endpoint.
final class Tracing implements AutoCloseable {

    private static final List<String> ENDPOINTS = List.of("OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    /// Only traces are sent; metrics are scraped.
    private static final Map<String, String> DEFAULTS = Map.of("otel.service.name", "petstore",
            "otel.exporter.otlp.protocol", "http/protobuf", "otel.metrics.exporter", "none", "otel.logs.exporter",
            "none");

    private final Optional<OpenTelemetrySdk> sdk;

    private Tracing(Optional<OpenTelemetrySdk> sdk) {
        this.sdk = sdk;
    }

    /// Begins to send spans, if the environment says where to. Errors: [Failure] when it says something that makes no sense.
    static Tracing start(Map<String, String> environment) {
        if (ENDPOINTS.stream().allMatch(name -> environment.getOrDefault(name, "").isEmpty())) {
            return new Tracing(Optional.empty());
        }
        try {
            return new Tracing(Optional.of(AutoConfiguredOpenTelemetrySdk.builder().disableShutdownHook()
                    .addPropertiesSupplier(() -> DEFAULTS).build().getOpenTelemetrySdk()));
        } catch (ConfigurationException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "traces cannot be sent: " + e.getMessage(), e);
        }
    }

    /// What takes spans; absent when nobody collects them.
    Optional<Tracer> tracer() {
        return sdk.map(open -> open.getTracer("petstore"));
    }

    /// Sends what has not been sent yet.
    @Override
    public void close() {
        sdk.ifPresent(OpenTelemetrySdk::close);
    }
}
