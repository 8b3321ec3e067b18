package petstore.http.server;

import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.function.BooleanSupplier;

import io.netty.handler.codec.DateFormatter;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;
import petstore.http.server.codec.Head;
import petstore.http.telemetry.Telemetry;

/// The API, clock and telemetry of a listener. For any thread.
final class Listener {

    /// The field `Date` of a second.
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

    /// Returns the record of a request, whose head is complete now.
    ///
    /// @param client the address of the client
    RequestRecord record(Head head, String client) {
        return new RequestRecord(new RequestHead(head.method(), head.path(), head.query(), head.fields(), client,
                telemetry.requestId(head.fields().first(RequestId.FIELD)), clock.millis()), this::date, telemetry);
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
