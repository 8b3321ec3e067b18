package petstore.http.telemetry;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.opentelemetry.api.trace.SpanContext;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;

/// Sinks for metrics, traces, the request log, and the audit log of refused keys.
public final class Telemetry {

    private final RequestMeters meters;
    private final Traces traces;
    private final RequestLog log;

    public Telemetry(Instruments instruments) {
        this.meters = new RequestMeters(instruments.meters());
        this.traces = new Traces(instruments.tracer());
        this.log = instruments.requestLog();
    }

    /// Records that the header block of a request is complete. Returns the trace that the request belongs to.
    public Optional<SpanContext> began(HeaderFields headers) {
        meters.began();
        return Traces.parent(headers);
    }

    /// Records that a request has ended. Call it once for each call of [#began].
    public void finished(FinishedRequest request) {
        String trace = "-";
        if (request.isAnswered()) {
            meters.answered(request);
            trace = traces.ended(request);
        } else {
            meters.abandoned();
        }
        log.ended(new RequestLog.Entry(
                request.beganMillis() + TimeUnit.NANOSECONDS.toMillis(request.durationNanos()),
                request.isAnswered() ? "answered" : "abandoned", request.id(), request.key(), request.method(),
                request.route(), request.status(), request.bytes(), trace,
                TimeUnit.NANOSECONDS.toMicros(request.durationNanos())));
    }

    /// Records that a request is refused for its key, for the audit log.
    public void refused(RequestHead head, String route, String key, int status) {
        log.refused(new RequestLog.Refusal(head.beganMillis(), status, MethodNames.of(head.method()), route, key,
                head.client(),
                head.id()));
    }
}
