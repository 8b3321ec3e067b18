package petstore.http.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.opentelemetry.api.trace.SpanContext;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;
import petstore.http.message.Response;
import petstore.http.server.codec.Outgoing;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.Telemetry;

/// The known facts about a request, for the headers of its response and for telemetry.
final class RequestRecord {

    private static final Header NO_SNIFF = Header.of("X-Content-Type-Options", "nosniff");
    private static final byte[] NO_BODY = {};

    private final RequestHead head;
    private final Supplier<Header> date;
    private final Telemetry telemetry;
    private final Optional<SpanContext> parent;
    private final long beganNanos = System.nanoTime();
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

    void decided(Api.Decision known) {
        decision = Optional.of(known);
    }

    /// Sets the reason if the connection or stream ends before the response is sent.
    void endsBecause(String reason) {
        ending = reason;
    }

    /// Returns a response to this request, with the headers of every response.
    ///
    /// @param last a further header; absent for none
    Outgoing outgoing(Response response, Optional<Header> last) {
        List<Header> headers = new ArrayList<>(16);
        headers.addAll(response.headers());
        decision.ifPresent(known -> headers.addAll(known.headers()));
        headers.add(Header.of(RequestId.FIELD, head.id()));
        headers.add(date.get());
        headers.add(NO_SNIFF);
        last.ifPresent(headers::add);
        return new Outgoing(response.status(), headers, head.method().equals("HEAD") ? NO_BODY : response.body());
    }

    /// Reports the end of the request to telemetry, once.
    ///
    /// @param sent absent if the connection was closed before the response was sent
    void finish(Optional<Response> sent) {
        if (!finished) {
            finished = true;
            telemetry.finished(
                    FinishedRequest.of(head, decision, parent, sent, ending, System.nanoTime() - beganNanos));
        }
    }
}
