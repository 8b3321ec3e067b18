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
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import petstore.KeyToken;
import petstore.http.message.Answer;
import petstore.http.server.Exchange;

/// The traces that requests belong to (W3C Trace Context), and a span for each request when somebody collects them. Spans are
/// named as OpenTelemetry's HTTP conventions say.
public final class Traces {

    private static final CharSequence PARENT = HttpHeaders.createOptimized("traceparent");
    private static final TextMapGetter<MultiMap> HEADERS = (headers, name) -> {
        String value = headers == null ? null : headers.get(name);
        // A span keeps the tracestate field, whatever stands in it.
        return value == null || hasBlanksInARow(value) || KeyToken.isIn(value) ? null : value;
    };

    private final Optional<Tracer> tracer;

    /// @param tracer absent when nobody collects spans
    public Traces(Optional<Tracer> tracer) {
        this.tracer = tracer;
    }

    /// What a request with these headers belongs to; absent when they name nothing.
    static Optional<SpanContext> parent(MultiMap headers) {
        return headers.contains(PARENT)
                ? Optional.of(Span.fromContext(
                        W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, HEADERS))
                        .getSpanContext()).filter(SpanContext::isValid)
                : Optional.empty();
    }

    /// The library splits `tracestate` by an expression whose time is quadratic in the length of blanks.
    private static boolean hasBlanksInARow(String value) {
        return value.indexOf('\t') >= 0 || value.contains("  ");
    }

    /// Records a request that has come to its end, and gives back the id of its trace; `-` when it belongs to none.
    ///
    /// @param method as [Methods] calls it
    String ended(Exchange exchange, String method, Answer answer, long durationNs) {
        if (tracer.isEmpty() && exchange.parent().isEmpty()) {
            return "-";
        }
        return tracer.map(collected -> span(collected, exchange, method, answer, durationNs)).or(exchange::parent)
                .filter(SpanContext::isValid).map(SpanContext::getTraceId).orElse("-");
    }

    private static SpanContext span(Tracer tracer, Exchange exchange, String method, Answer answer, long durationNs) {
        String name = (method.equals(Methods.OTHER) ? "HTTP" : method) + " " + exchange.route();
        Context parent = exchange.parent().map(of -> Context.root().with(Span.wrap(of))).orElseGet(Context::root);
        Instant began = Instant.ofEpochMilli(exchange.beganMillis());
        Span span = tracer.spanBuilder(name).setParent(parent).setSpanKind(SpanKind.SERVER)
                .setStartTimestamp(began).setAttribute("http.request.method", method)
                .setAttribute("http.route", exchange.route())
                .setAttribute("http.response.status_code", answer.status())
                .setAttribute("petstore.request.id", exchange.id()).startSpan();
        if (answer.status() >= 500) {
            span.setStatus(StatusCode.ERROR);
        }
        span.end(began.plusNanos(durationNs));
        return span.getSpanContext();
    }
}
