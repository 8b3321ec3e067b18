package petstore.http.server;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.handler.codec.DateFormatter;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.telemetry.Telemetry;

/// The API, telemetry, clock, settings and limit that the connections of a listener share. For any thread.
///
/// @param stopping true if each response must be the last of its connection
record ListenerContext(Api api, Telemetry telemetry, Clock clock, AtomicBoolean stopping, Deadlines deadlines,
        TrustedProxies proxies, ConnectionLimit limit) {

    static final String REQUEST_ID = "X-Request-Id";
    private static final Header NO_SNIFF = Header.of("X-Content-Type-Options", "nosniff");
    private static final byte[] NO_BODY = {};

    /// The `Date` of the last response of any listener.
    private static volatile Dated last = new Dated(Long.MIN_VALUE, Header.of("date", ""));

    private record Dated(long second, Header field) {
    }

    /// Returns this with another API.
    ListenerContext with(Api other) {
        return new ListenerContext(other, telemetry, clock, stopping, deadlines, proxies, limit);
    }

    /// Returns a response with the headers of every response: `X-Request-Id`, `Date`, `X-Content-Type-Options`.
    ///
    /// @param ofRequest the headers of every response to this request
    /// @param connection the field `Connection`; absent for none
    Response withCommonHeaders(Response response, RequestHead request, List<Header> ofRequest,
            Optional<Header> connection) {
        List<Header> headers = new ArrayList<>(16);
        headers.addAll(response.headers());
        headers.addAll(ofRequest);
        headers.add(Header.of(REQUEST_ID, request.id()));
        headers.add(date());
        headers.add(NO_SNIFF);
        connection.ifPresent(headers::add);
        return new Response(response.status(), headers, request.method().equals("HEAD") ? NO_BODY : response.body(),
                response.refusal());
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
}
