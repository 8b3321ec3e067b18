package petstore.http.telemetry;

import java.util.Optional;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;
import petstore.http.message.Response;

/// Sinks for metrics, traces, the request log, and the audit log of refused keys.
public final class Telemetry {

    private final RequestMetrics metrics;
    private final RequestSpans spans;
    private final RequestLog log;
    private final KeyScanner keys;

    /// @param keys finds the API keys that no id, span or log line may have
    public Telemetry(MeterRegistry registry, Optional<Tracer> tracer, RequestLog log, KeyScanner keys) {
        this.metrics = new RequestMetrics(registry);
        this.spans = new RequestSpans(tracer, keys);
        this.log = log;
        this.keys = keys;
    }

    /// Returns the id of a request.
    ///
    /// @param given the client's `X-Request-Id`; null for none
    public String requestId(@Nullable String given) {
        return RequestId.of(given, keys);
    }

    /// Records that the header block of a request is complete. Returns the trace that the request belongs to.
    public Optional<SpanContext> began(HeaderFields headers) {
        metrics.began();
        return spans.parent(headers);
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
