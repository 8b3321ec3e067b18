package petstore.http.telemetry;

import java.util.Optional;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.trace.Tracer;

/// Where what operators are told goes.
///
/// @param meters where measurements are kept, and `/metrics` finds them
/// @param tracer takes a span for every request; absent when nobody collects them
/// @param requestLog is told of every request that ends or is refused
public record Instruments(PrometheusMeterRegistry meters, Optional<Tracer> tracer, RequestLog requestLog) {
}
