package petstore.http.telemetry;

import java.time.Instant;
import java.util.Optional;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;
import petstore.http.telemetry.RequestLog.FinishedRequest;

/// Spans of requests, by OpenTelemetry's HTTP conventions, and their traces (W3C Trace Context).
public final class RequestSpans {

    private final Optional<Tracer> tracer;
    private final TextMapGetter<HeaderFields> headers;

    /// @param tracer absent if spans are not exported
    public RequestSpans(Optional<Tracer> tracer, KeyScanner keys) {
        this.tracer = tracer;
        this.headers = (fields, name) -> {
            // A client may split tracestate into several fields.
            String value = fields == null || !fields.contains(name) ? null : String.join(",", fields.all(name));
            // The library takes quadratic time for blanks in tracestate. A span keeps that field, so no API key may be in it.
            boolean isSlow = value != null && (value.indexOf('\t') >= 0 || value.contains("  "));
            return value == null || isSlow || keys.isIn(value) ? null : value;
        };
    }

    /// Returns the trace that the headers of a request name; absent if they name none.
    Optional<SpanContext> parent(HeaderFields fields) {
        return fields.contains("traceparent")
                ? Optional.of(Span.fromContext(
                        W3CTraceContextPropagator.getInstance().extract(Context.root(), fields, headers))
                        .getSpanContext()).filter(SpanContext::isValid)
                : Optional.empty();
    }

    /// Records a span for an answered request. Returns the id of its trace; `-` for none.
    ///
    /// @param parent the trace that the client named
    String ended(FinishedRequest request, Optional<SpanContext> parent) {
        Optional<SpanContext> trace = tracer.isPresent() ? Optional.of(span(tracer.get(), request, parent)) : parent;
        return trace.filter(SpanContext::isValid).map(SpanContext::getTraceId).orElse("-");
    }

    private static SpanContext span(Tracer tracer, FinishedRequest request, Optional<SpanContext> parent) {
        String name = (request.method().equals(Telemetry.OTHER_METHOD) ? "HTTP" : request.method()) + " "
                + request.route();
        Context context = parent.map(of -> Context.root().with(Span.wrap(of))).orElseGet(Context::root);
        Instant began = Instant.ofEpochMilli(request.beganMillis());
        Span span = tracer.spanBuilder(name).setParent(context).setSpanKind(SpanKind.SERVER)
                .setStartTimestamp(began).setAttribute("http.request.method", request.method())
                .setAttribute("http.route", request.route())
                .setAttribute("http.response.status_code", request.status())
                .setAttribute("petstore.request.id", request.id()).startSpan();
        if (request.status() >= 500) {
            span.setStatus(StatusCode.ERROR);
        }
        span.end(began.plusNanos(request.durationNanos()));
        return span.getSpanContext();
    }
}
