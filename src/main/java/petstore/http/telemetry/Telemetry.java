package petstore.http.telemetry;

import java.util.Optional;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;

/// Sinks for metrics, traces, the request log, and the audit log of refused keys.
public final class Telemetry {

    private final RequestMetrics metrics;
    private final RequestSpans spans;
    private final RequestLog log;

    /// @param tracer gets a span for each request; absent if spans are not exported
    public Telemetry(MeterRegistry registry, Optional<Tracer> tracer, RequestLog log) {
        this.metrics = new RequestMetrics(registry);
        this.spans = new RequestSpans(tracer);
        this.log = log;
    }

    /// Records that the header block of a request is complete. Returns the trace that the request belongs to.
    public Optional<SpanContext> began(HeaderFields headers) {
        metrics.began();
        return RequestSpans.parent(headers);
    }

    /// Records that a request has ended. Call it once for each call of [#began].
    public void finished(FinishedRequest request) {
        metrics.finished(request);
        log.finished(request, request.isAnswered() ? spans.ended(request) : "-");
    }

    /// Records that a request is refused for its key, for the audit log.
    public void refused(RequestHead head, String route, String key, Response refusal) {
        log.refused(new RequestLog.RefusedKey(head.beganMillis(), refusal.status(), FinishedRequest.method(head),
                route, key, head.client(), head.id(), refusal.refusal().orElseThrow().reason()));
    }
}
