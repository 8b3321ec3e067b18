package petstore.http.telemetry;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;

/// Sinks for metrics, traces, the request log, and the audit log of refused keys.
public final class Telemetry {

    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

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

    /// Returns the client's id of a request if it is 1 to 128 letters, digits, `.`, `_` and `-` without an API key. Else returns a new id.
    public String requestId(@Nullable String given) {
        if (given != null && REQUEST_ID.matcher(given).matches() && !keys.isIn(given)) {
            return given;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }

    /// Records that the header block of a request is complete. Returns the trace that the request belongs to.
    public Optional<SpanContext> began(HeaderFields headers) {
        Optional<SpanContext> parent = spans.parent(headers);
        metrics.began();
        return parent;
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
