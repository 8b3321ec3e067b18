package petstore.http.server;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import petstore.Failure.Kind;
import petstore.http.message.Api;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Response;
import petstore.http.telemetry.Telemetry;

/// One request and its response. Confined to the request's event loop.
final class Exchange {

    private static final Header CLOSE = Header.of("Connection", "close");

    private enum Stage {
        /// The event loop reads or routes the request.
        READING,
        /// The API works on the response on another thread.
        WORKING,
        /// The client reads the response.
        SENDING,
        /// The response is sent, or the connection is closed.
        SENT
    }

    private final HttpServerRequest request;
    private final Context context;
    private final Connections connections;
    private final @Nullable ConnectionWatch watch;
    private final RequestRecord record;
    private final boolean multiplexed;
    private final boolean announcesBody;
    private boolean paused;
    private Stage stage = Stage.READING;
    private boolean streamClosed;

    /// @param beganMillis the time when the header block was complete, in milliseconds since 1970
    /// @param date returns the `Date` of the response when it begins
    Exchange(HttpServerRequest request, Context context, Connections connections, Telemetry telemetry,
            long beganMillis, Supplier<Header> date) {
        this.request = request;
        this.context = context;
        this.connections = connections;
        this.multiplexed = request.version() == HttpVersion.HTTP_2;
        this.announcesBody = !multiplexed && (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || request.headers().contains(HttpHeaders.CONTENT_LENGTH));
        this.watch = connections.began(this);
        this.record = new RequestRecord(
                VertxHeaders.head(request, watch, telemetry, beganMillis), date, telemetry);
        if (watch == null) {
            // The connection was closed before the request was read.
            record.finish(Optional.empty());
        } else if (multiplexed) {
            request.response().closeHandler(_ -> streamClosed());
        }
    }

    /// Hands the request to the API, unless it follows the last of its connection.
    void begin(Api api) {
        if (watch != null && watch.closer().isEnding()) {
            return;
        }
        if (announcesBody) {
            request.exceptionHandler(_ -> send(last(Errors.response(Kind.INVALID_REQUEST,
                    "the body is not well-formed HTTP"))));
        }
        Api.Begun begun = api.begin(record.head());
        record.begun(begun);
        if (begun.decision().isDone()) {
            decided(begun.decision().join());
        } else {
            paused = true;
            request.pause();
            await(begun.decision(), this::decided);
        }
    }

    /// Sends the response to a request whose head is invalid. With HTTP/1.1, closes the connection after it.
    void refuse(Api api, Response refusal) {
        record.begun(api.refuse(record.head(), refusal));
        send(last(refusal));
    }

    private Response last(Response response) {
        return multiplexed ? response : response.with(List.of(CLOSE));
    }

    private void decided(Api.Decision decision) {
        record.decided(decision);
        switch (decision.next()) {
            case Api.Respond(Response response) -> send(response);
            case Api.RespondLast(Response response) -> {
                if (watch != null && !multiplexed) {
                    watch.closer().endAfterResponse();
                }
                send(last(response));
            }
            case Api.Await(CompletableFuture<Response> response) -> respond(response);
            case Api.ReadBody body -> {
                RequestBody.read(request, body.limit(), bytes -> respond(body.operation().apply(bytes)), this::send);
                resume();
            }
        }
    }

    private void respond(CompletableFuture<Response> response) {
        // The rest of the body is read first: it may not be well-formed.
        if (response.isDone() && !announcesBody) {
            send(response.join());
        } else {
            await(response, this::send);
        }
    }

    /// Reads the body after a pause. Vert.x throws if a body is resumed after its end.
    private void resume() {
        if (paused) {
            paused = false;
            request.resume();
        }
    }

    /// Calls `next` with the value of a future, on the event loop, unless a response is sent meanwhile.
    <T> void await(CompletableFuture<T> future, Consumer<T> next) {
        stage = stage == Stage.READING ? Stage.WORKING : stage;
        var _ = future.thenAccept(value -> context.runOnContext(_ -> {
            if (stage == Stage.WORKING) {
                stage = Stage.READING;
                next.accept(value);
            }
        }));
    }

    HttpServerRequest request() {
        return request;
    }

    /// Returns true if the header block has been complete for longer than `age`.
    ///
    /// @param now by [System#nanoTime]
    boolean isOlder(Duration age, long now) {
        return now - record.beganNanos() > age.toNanos();
    }

    boolean isWorking() {
        return stage == Stage.WORKING;
    }

    boolean isSending() {
        return stage == Stage.SENDING;
    }

    /// Returns true if the body is complete and the response is sent.
    boolean isDone() {
        return streamClosed || (stage == Stage.SENT && isBodyComplete());
    }

    private boolean isBodyComplete() {
        return (!multiplexed && !announcesBody) || request.isEnded();
    }

    /// Sends the response, with HTTP/1.1 after the earlier ones of the connection. The rest of the body is dropped.
    void send(Response response) {
        HttpServerResponse writer = request.response();
        if (stage == Stage.SENDING || stage == Stage.SENT || writer.closed()) {
            return;
        }
        stage = Stage.SENDING;
        // Frees their memory: the client may take long to read the response.
        request.headers().clear();
        ResponseWriter.writeHead(writer, response, record, connections.isStopping() && !multiplexed);
        if (!isBodyComplete()) {
            RequestBody.drop(request, this::closeNow, this::advanced);
        }
        resume();
        ResponseWriter.writeBody(request, response, sent -> ended(response, sent));
    }

    private void ended(Response response, boolean sent) {
        stage = Stage.SENT;
        record.finish(sent ? Optional.of(response) : Optional.empty());
        if (!sent && !multiplexed) {
            // Close the connection, or the client would take the next response for this one.
            closeNow();
        }
        advanced();
    }

    private void advanced() {
        if (watch != null) {
            watch.advanced(this);
            if (stage == Stage.SENT && watch.closer().isEnding()) {
                watch.closer().end(isBodyComplete());
            }
        }
    }

    /// Sets the reason for the case that the connection or stream ends before the response is sent.
    void endsBecause(String reason) {
        record.endsBecause(reason);
    }

    /// Records that the connection or the stream is closed. A response that Vert.x has is recorded when it is sent.
    void closed() {
        if (!request.response().ended()) {
            if (connections.isStopping()) {
                endsBecause("the connection was closed while the service stopped");
            }
            record.finish(Optional.empty());
        }
    }

    private void streamClosed() {
        streamClosed = true;
        closed();
        advanced();
        // Vert.x does not complete a response that waited behind earlier responses.
        context.runOnContext(_ -> record.finish(Optional.empty()));
    }

    /// Resets the stream, with HTTP/1.1 closes the connection.
    void closeNow() {
        if (watch != null && multiplexed) {
            watch.closer().resetStream(request.response().streamId());
        } else if (watch != null) {
            watch.closer().closeNow();
        }
    }
}
