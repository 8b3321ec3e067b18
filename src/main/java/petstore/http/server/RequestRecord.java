package petstore.http.server;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.opentelemetry.api.trace.SpanContext;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;
import petstore.http.message.Response;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.Telemetry;

/// The known facts about a request, for the headers of its response and for telemetry.
final class RequestRecord {

    private static final Header NO_SNIFF = Header.of("X-Content-Type-Options", "nosniff");

    private final RequestHead head;
    private final Supplier<Header> date;
    private final Telemetry telemetry;
    private final Optional<SpanContext> parent;
    private final long beganNanos = System.nanoTime();
    private Optional<Api.Begun> begun = Optional.empty();
    private Optional<Api.Decision> decision = Optional.empty();
    private String ending = "the client closed the connection or stream";
    private boolean finished;

    /// @param date returns the `Date` of the response when it begins
    RequestRecord(RequestHead head, Supplier<Header> date, Telemetry telemetry) {
        this.head = head;
        this.date = date;
        this.telemetry = telemetry;
        this.parent = telemetry.began(head.headers());
    }

    RequestHead head() {
        return head;
    }

    /// Returns the time when the header block was complete, by [System#nanoTime].
    long beganNanos() {
        return beganNanos;
    }

    void begun(Api.Begun known) {
        begun = Optional.of(known);
    }

    void decided(Api.Decision known) {
        decision = Optional.of(known);
    }

    /// Sets the reason if the connection or stream ends before the response is sent.
    void endsBecause(String reason) {
        ending = reason;
    }

    /// Passes the headers of any response to this request to `to`.
    void forEachHeader(Consumer<Header> to) {
        decision.ifPresent(known -> known.headers().forEach(to));
        begun.ifPresent(known -> known.headers().forEach(to));
        to.accept(Header.of(RequestId.FIELD, head.id()));
        to.accept(date.get());
        to.accept(NO_SNIFF);
    }

    /// Reports the end of the request to telemetry, once.
    ///
    /// @param sent absent if the connection was closed before the response was sent
    void finish(Optional<Response> sent) {
        if (!finished) {
            finished = true;
            telemetry.finished(
                    FinishedRequest.of(head, begun, decision, parent, sent, ending, System.nanoTime() - beganNanos));
        }
    }
}
