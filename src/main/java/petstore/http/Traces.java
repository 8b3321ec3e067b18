package petstore.http;

import java.time.Instant;
import java.util.Objects;
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
import org.jspecify.annotations.Nullable;

/// The traces that requests belong to (W3C Trace Context), and a span for each request when somebody collects them. Spans are
/// named as OpenTelemetry's HTTP conventions say.
final class Traces {

    private static final CharSequence PARENT = HttpHeaders.createOptimized("traceparent");
    private static final TextMapGetter<MultiMap> HEADERS = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(MultiMap headers) {
            return headers.names();
        }

        @Override
        public @Nullable String get(@Nullable MultiMap headers, String name) {
            return headers == null ? null : headers.get(name);
        }
    };

    private final Optional<Tracer> tracer;

    /// @param tracer absent when nobody collects spans
    Traces(Optional<Tracer> tracer) {
        this.tracer = tracer;
    }

    /// What a request with these headers belongs to; absent when they name nothing.
    static @Nullable Context parent(MultiMap headers) {
        return headers.contains(PARENT)
                ? W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, HEADERS)
                : null;
    }

    /// Records a request that has come to its end, and gives back the id of its trace; `-` when it belongs to none.
    String ended(Exchange exchange, Answer answer, long durationNs) {
        if (tracer.isEmpty() && exchange.parent() == null) {
            return "-";
        }
        Context parent = Objects.requireNonNullElseGet(exchange.parent(), Context::root);
        SpanContext context = tracer.map(collected -> span(collected, parent, exchange, answer, durationNs))
                .orElseGet(() -> Span.fromContext(parent).getSpanContext());
        return context.isValid() ? context.getTraceId() : "-";
    }

    private static SpanContext span(Tracer tracer, Context parent, Exchange exchange, Answer answer, long durationNs) {
        String method = exchange.request().method().name();
        Instant began = Instant.ofEpochMilli(exchange.beganMillis());
        Span span = tracer.spanBuilder(method + " " + exchange.route()).setParent(parent).setSpanKind(SpanKind.SERVER)
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
