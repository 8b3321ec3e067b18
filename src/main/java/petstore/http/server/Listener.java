package petstore.http.server;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import io.netty.handler.codec.DateFormatter;
import io.opentelemetry.api.trace.SpanContext;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.IdempotencyHeader;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.server.codec.Head;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.Telemetry;

/// The API, clock and telemetry of a listener. For any thread.
final class Listener {

    private static final String REQUEST_ID = "X-Request-Id";
    private static final Header NO_SNIFF = Header.of("X-Content-Type-Options", "nosniff");
    private static final byte[] NO_BODY = {};

    private record Dated(long second, Header field) {
    }

    private final Api api;
    private final Telemetry telemetry;
    private final Clock clock;
    private final BooleanSupplier stopping;
    private volatile Dated last = new Dated(Long.MIN_VALUE, Header.of("date", ""));

    /// @param stopping returns true if each response must be the last of its connection
    Listener(Api api, Telemetry telemetry, Clock clock, BooleanSupplier stopping) {
        this.api = api;
        this.telemetry = telemetry;
        this.clock = clock;
        this.stopping = stopping;
    }

    Api api() {
        return api;
    }

    boolean isStopping() {
        return stopping.getAsBoolean();
    }

    /// Returns the `Date` of a response that begins now.
    private Header date() {
        long second = Math.floorDiv(clock.millis(), 1_000);
        Dated known = last;
        if (known.second() != second) {
            known = new Dated(second,
                    Header.of("date", DateFormatter.format(Date.from(Instant.ofEpochSecond(second)))));
            last = known;
        }
        return known.field();
    }

    /// The known facts about a request, for the headers of its response and for telemetry. Confined to its event loop.
    final class RequestRecord {

        private final RequestHead head;
        private final Optional<SpanContext> parent;
        /// Known before the fields are dropped.
        private final boolean unkeyed;
        private final long beganNanos = System.nanoTime();
        private Optional<Api.Decision> decision = Optional.empty();
        private String ending = "the client closed the connection or stream";
        private boolean finished;

        /// @param received the head, which is complete now
        RequestRecord(Head received, String client) {
            String[] target = received.target().split("\\?", 2);
            this.head = new RequestHead(received.method(), target[0], target.length > 1 ? target[1] : null,
                    received.fields(), client, telemetry.requestId(received.fields().first(REQUEST_ID)),
                    clock.millis());
            this.unkeyed = !IdempotencyHeader.isIn(head.headers());
            // Last, because each request that began must end.
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
        Response outgoing(Response response, Optional<Header> more) {
            List<Header> headers = new ArrayList<>(16);
            headers.addAll(response.headers());
            decision.ifPresent(known -> headers.addAll(known.headers()));
            headers.add(Header.of(REQUEST_ID, head.id()));
            headers.add(date());
            headers.add(NO_SNIFF);
            more.ifPresent(headers::add);
            return new Response(response.status(), headers, head.method().equals("HEAD") ? NO_BODY : response.body(),
                    response.refusal());
        }

        /// Reports the end of the request to telemetry, once.
        ///
        /// @param sent absent if the connection was closed before the response was sent
        void finish(Optional<Response> sent) {
            if (!finished) {
                finished = true;
                telemetry.finished(
                        FinishedRequest.of(head, unkeyed, decision, parent, sent, ending,
                                System.nanoTime() - beganNanos));
            }
        }
    }
}
