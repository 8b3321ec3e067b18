package petstore.http.telemetry;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import org.jspecify.annotations.Nullable;
import petstore.http.message.Api;
import petstore.http.message.IdempotencyHeader;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.telemetry.RequestLog.FinishedRequest;

/// Sinks for metrics, traces, the request log, and the audit log of refused keys.
public final class Telemetry {

    /// Only createPet responds with it.
    private static final int CREATED = 201;
    /// Replaces unknown methods, which could contain a key. Source: OpenTelemetry's HTTP conventions.
    static final String OTHER_METHOD = "_OTHER";
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

    /// Records that the header block of a request is complete. The record must be finished.
    public RequestRecord began(RequestHead head) {
        RequestRecord request = new RequestRecord(head);
        // Last, because each request that began must end.
        metrics.began();
        return request;
    }

    /// Records that a request is refused for its key, for the audit log.
    public void refused(RequestHead head, String route, String key, Response refusal) {
        log.refused(new RequestLog.RefusedKey(head.beganMillis(), refusal.status(), method(head),
                route, key, head.client(), head.id(), refusal.refusal().orElseThrow().reason()));
    }

    private static String method(RequestHead head) {
        return switch (head.method()) {
            case "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH" -> head.method();
            default -> OTHER_METHOD;
        };
    }

    private static boolean isDeprecated(Api.Decision decision) {
        return decision.headers().stream().anyMatch(header -> header.name().equals("Deprecation"));
    }

    /// The known facts about a request in flight, for telemetry. Confined to its event loop.
    public final class RequestRecord {

        private final RequestHead head;
        /// The trace that the client named; absent for none.
        private final Optional<SpanContext> parent;
        private final long beganNanos = System.nanoTime();
        /// Known before the fields are dropped.
        private final boolean hasIdempotencyKey;
        private Optional<Api.Decision> decision = Optional.empty();
        private String ending = "the client closed the connection or stream";
        private boolean isFinished;

        private RequestRecord(RequestHead head) {
            this.head = head;
            this.parent = spans.parent(head.headers());
            this.hasIdempotencyKey = head.headers().contains(IdempotencyHeader.NAME);
        }

        /// Returns true if the header block has been complete for longer than this at a time by [System#nanoTime].
        public boolean isOlder(long ageNanos, long now) {
            return now - beganNanos > ageNanos;
        }

        public void decided(Api.Decision known) {
            decision = Optional.of(known);
        }

        /// Sets the reason if the connection or stream ends before the response is sent.
        public void endsBecause(String reason) {
            ending = reason;
        }

        /// Reports the end of the request to metrics, traces and the request log, once.
        ///
        /// @param sent absent if the connection or stream ended before the response was sent
        public void finish(Optional<Response> sent) {
            if (isFinished) {
                return;
            }
            isFinished = true;
            int status = sent.map(Response::status).orElse(0);
            Optional<Response.Refusal> refusal = sent.flatMap(Response::refusal);
            FinishedRequest request = new FinishedRequest(head.id(), method(head),
                    decision.map(Api.Decision::route).orElse(Api.NO_ROUTE),
                    decision.map(Telemetry::isDeprecated).orElse(false),
                    !hasIdempotencyKey && status == CREATED,
                    decision.map(Api.Decision::keyId).orElse(Api.NO_KEY), head.beganMillis(),
                    System.nanoTime() - beganNanos, status,
                    head.method().equals("HEAD") ? 0 : sent.map(response -> response.body().length).orElse(0),
                    head.client(), refusal.map(Response.Refusal::kind),
                    refusal.flatMap(Response.Refusal::unavailability),
                    sent.isPresent() ? refusal.map(Response.Refusal::reason) : Optional.of(ending));
            if (sent.isPresent()) {
                metrics.answered(request);
                log.finished(request, spans.ended(request, parent));
            } else {
                metrics.abandoned();
                log.finished(request, "-");
            }
        }
    }
}
