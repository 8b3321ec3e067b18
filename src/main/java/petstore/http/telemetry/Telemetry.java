package petstore.http.telemetry;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.MultiMap;
import io.vertx.core.net.SocketAddress;
import petstore.http.message.Answer;
import petstore.http.server.Exchange;

/// What operators are told of every request: measurements, a line in the log, and a span when traces are wanted; and the audit of
/// those that are refused for their key.
public final class Telemetry {

    private final RequestMeters meters;
    private final Traces traces;
    private final RequestLog log;

    public Telemetry(RequestMeters meters, Traces traces, RequestLog log) {
        this.meters = meters;
        this.traces = traces;
        this.log = log;
    }

    /// The header block of a request has come; gives back what its trace belongs to.
    public Optional<SpanContext> began(MultiMap headers) {
        meters.began();
        return Traces.parent(headers);
    }

    /// The answer has been sent.
    ///
    /// @param bytes the length of its body
    /// @param now by [System#nanoTime]
    public void answered(Exchange exchange, Answer answer, long bytes, long now) {
        long durationNs = now - exchange.beganNanos();
        String method = Methods.name(exchange.request().method());
        meters.answered(exchange, method, answer, durationNs);
        String trace = traces.ended(exchange, method, answer, durationNs);
        log("answered", exchange, method, answer.status(), bytes, trace, durationNs);
    }

    /// The request is refused for its key: that goes to the audit.
    public void refused(Exchange exchange, int status) {
        SocketAddress client = exchange.request().remoteAddress();
        // It is gone when the client was before the store had been asked for its key.
        log.refused(new RequestLog.Refusal(exchange.beganMillis(), status, Methods.name(exchange.request().method()),
                exchange.route(), exchange.keyId(), client == null ? "-" : client.hostAddress(), exchange.id()));
    }

    /// The connection has ended before the answer was sent.
    public void abandoned(Exchange exchange) {
        meters.abandoned();
        log("abandoned", exchange, Methods.name(exchange.request().method()), 0, 0, "-",
                System.nanoTime() - exchange.beganNanos());
    }

    private void log(String outcome, Exchange exchange, String method, int status, long bytes, String trace,
            long durationNs) {
        long endedMillis = exchange.beganMillis() + TimeUnit.NANOSECONDS.toMillis(durationNs);
        log.ended(new RequestLog.Entry(endedMillis, outcome, exchange.id(), exchange.keyId(),
                method, exchange.route(), status, bytes, trace, TimeUnit.NANOSECONDS.toMicros(durationNs)));
    }
}
