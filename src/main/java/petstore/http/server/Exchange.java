package petstore.http.server;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

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
        /// Its event loop reads it, or decides about it.
        READING,
        /// The API works on the response elsewhere.
        WORKING,
        /// The response is there, and the client has not taken all of it.
        SENDING,
        /// The response is sent, or its connection is closed.
        SENT
    }

    private final HttpServerRequest request;
    private final Context context;
    private final Connections connections;
    private final @Nullable ConnectionWatch watch;
    private final RequestRecord known;
    private final boolean multiplexed;
    private final boolean announcesBody;
    private boolean paused;
    private Stage stage = Stage.READING;
    private boolean streamClosed;

    /// @param beganMillis when its header block was complete, in milliseconds since 1970
    /// @param date the same, for the response
    Exchange(HttpServerRequest request, Context context, Connections connections, Telemetry telemetry,
            long beganMillis, Header date) {
        this.request = request;
        this.context = context;
        this.connections = connections;
        this.multiplexed = request.version() == HttpVersion.HTTP_2;
        this.announcesBody = !multiplexed && (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || request.headers().contains(HttpHeaders.CONTENT_LENGTH));
        this.watch = connections.began(this);
        this.known = new RequestRecord(
                VertxHeaders.head(request, watch == null ? "-" : watch.client(), beganMillis), date, telemetry);
        if (watch == null) {
            // Its connection was closed before its turn.
            known.finish(Optional.empty());
        } else if (multiplexed) {
            request.response().closeHandler(_ -> streamClosed());
        }
    }

    /// Hands the request to the API.
    void begin(Api api) {
        if (announcesBody) {
            request.exceptionHandler(_ -> send(last(Errors.response(Kind.INVALID_REQUEST,
                    "the body is not well-formed HTTP"))));
        }
        Api.Begun begun = api.begin(known.head());
        known.begun(begun);
        if (begun.decision().isDone()) {
            decided(begun.decision().join());
        } else {
            pause();
            await(begun.decision(), this::decided);
        }
    }

    /// Refuses a request whose head is wrong. With HTTP/1.1 the connection is closed behind the response.
    void refuse(Api api, Response refusal) {
        known.begun(api.refuse(known.head(), refusal));
        send(last(refusal));
    }

    private Response last(Response response) {
        return multiplexed ? response : response.with(List.of(CLOSE));
    }

    private void decided(Api.Decision decision) {
        known.decided(decision);
        switch (decision.next()) {
            case Api.Respond(Response response) -> send(response);
            case Api.Await(CompletableFuture<Response> response) -> respond(response);
            case Api.ReadBody body -> {
                RequestBody.read(request, body.limit(), bytes -> respond(body.operation().apply(bytes)), this::send);
                unpause();
            }
        }
    }

    private void respond(CompletableFuture<Response> response) {
        // With a body, the rest of the input is looked at first: it may not be well-formed.
        if (response.isDone() && !announcesBody) {
            send(response.join());
        } else {
            await(response, this::send);
        }
    }

    /// Takes in no more of the body until [#unpause].
    private void pause() {
        paused = true;
        request.pause();
    }

    /// Takes in the body again. Vert.x fails if it is told so once more after the end of the body.
    private void unpause() {
        if (paused) {
            paused = false;
            request.resume();
        }
    }

    /// Goes on with a value, on the event loop, unless the request is answered meanwhile.
    <T> void await(CompletableFuture<T> coming, Consumer<T> next) {
        stage = stage == Stage.READING ? Stage.WORKING : stage;
        var _ = coming.thenAccept(value -> context.runOnContext(_ -> {
            if (stage == Stage.WORKING) {
                stage = Stage.READING;
                next.accept(value);
            }
        }));
    }

    HttpServerRequest request() {
        return request;
    }

    /// Returns the time when its header block was complete, by [System#nanoTime].
    long beganNanos() {
        return known.beganNanos();
    }

    /// Returns true if the API works on the response.
    boolean isWorking() {
        return stage == Stage.WORKING;
    }

    /// Returns true if the response is there and the client has not taken all of it.
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

    /// Sends the response, with HTTP/1.1 once the client has taken those before it. The rest of the body is dropped.
    void send(Response answer) {
        HttpServerResponse response = request.response();
        if (stage == Stage.SENDING || stage == Stage.SENT || response.closed()) {
            return;
        }
        stage = Stage.SENDING;
        VertxHeaders.release(request.headers());
        ResponseWriter.writeHead(response, answer, known.headers(), connections.isStopping() && !multiplexed);
        if (!isBodyComplete()) {
            RequestBody.drop(request, this::closeNow, this::advanced);
        }
        unpause();
        ResponseWriter.writeBody(request, answer, sent -> ended(answer, sent));
    }

    private void ended(Response answer, boolean sent) {
        stage = Stage.SENT;
        known.finish(sent ? Optional.of(answer) : Optional.empty());
        if (!sent && !multiplexed) {
            // Close the connection, or the client would take the next response for this one.
            closeNow();
        }
        advanced();
    }

    private void advanced() {
        if (watch != null) {
            watch.advanced(this, System.nanoTime());
        }
    }

    /// Records that the connection, or the stream of HTTP/2, is closed. A response that Vert.x has is recorded when it is sent.
    void closed() {
        if (!request.response().ended()) {
            known.finish(Optional.empty());
        }
    }

    private void streamClosed() {
        streamClosed = true;
        closed();
        advanced();
        // Vert.x says nothing more of a response that waited behind others.
        context.runOnContext(_ -> known.finish(Optional.empty()));
    }

    /// Ends it at once, and with HTTP/1.1 its connection.
    void closeNow() {
        if (watch == null) {
            return;
        }
        if (multiplexed) {
            watch.closer().resetStream(request.response().streamId());
        } else {
            watch.closer().closeNow();
        }
    }
}
