package petstore.http.server;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.netty.util.AsciiString;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import petstore.Failure.Kind;
import petstore.http.message.Api;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;
import petstore.http.message.Response;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.Telemetry;

/// One request and its response. Confined to the request's event loop.
final class Exchange {

    private static final Header NO_SNIFF = Header.of("X-Content-Type-Options", "nosniff");
    private static final Header CLOSE = Header.of("Connection", "close");
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized(RequestId.FIELD);
    /// The most header fields of a request that are kept until its response is sent.
    private static final int USUAL_FIELDS = 32;

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
    private final Telemetry telemetry;
    private final RequestHead head;
    private final Header date;
    private final long beganNanos = System.nanoTime();
    private final boolean multiplexed;
    private final boolean announcesBody;
    private final Optional<SpanContext> parent;
    private Api.@Nullable Begun begun;
    private Api.@Nullable Decision decision;
    private boolean paused;
    private Stage stage = Stage.READING;
    private boolean finished;
    private boolean streamClosed;

    /// @param beganMillis when its header block was complete, in milliseconds since 1970
    /// @param date the same, for the response
    Exchange(HttpServerRequest request, Context context, Connections connections, Telemetry telemetry,
            long beganMillis, Header date) {
        this.request = request;
        this.context = context;
        this.connections = connections;
        this.telemetry = telemetry;
        this.date = date;
        this.multiplexed = request.version() == HttpVersion.HTTP_2;
        this.announcesBody = !multiplexed && (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || request.headers().contains(HttpHeaders.CONTENT_LENGTH));
        this.watch = connections.began(this);
        String path = request.path();
        this.head = new RequestHead(request.method().name(), path == null ? "" : path, request.query(),
                new VertxHeaders(request.headers()), watch == null ? "-" : watch.client(),
                RequestId.of(request.getHeader(REQUEST_ID)), beganMillis);
        this.parent = telemetry.began(head.headers());
        if (watch == null) {
            // Its connection was closed before its turn.
            abandoned();
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
        Api.Begun known = api.begin(head);
        begun = known;
        if (known.decision().isDone()) {
            decided(known.decision().join());
        } else {
            pause();
            await(known.decision(), this::decided);
        }
    }

    /// Refuses a request whose head is wrong. With HTTP/1.1 the connection is closed behind the response.
    void refuse(Api api, Response refusal) {
        begun = api.refuse(head, refusal);
        send(last(refusal));
    }

    private Response last(Response response) {
        return multiplexed ? response : response.with(List.of(CLOSE));
    }

    private void decided(Api.Decision made) {
        decision = made;
        switch (made.next()) {
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

    /// Returns true if it shares its connection with others (HTTP/2).
    boolean isMultiplexed() {
        return multiplexed;
    }

    HttpServerRequest request() {
        return request;
    }

    /// Returns the time when its header block was complete, by [System#nanoTime].
    long beganNanos() {
        return beganNanos;
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
        if (hasManyFields()) {
            // The client may not take the response for long.
            request.headers().clear();
        }
        writeHead(answer, response.setStatusCode(answer.status()).headers());
        if (!isBodyComplete()) {
            RequestBody.drop(request, this::closeNow, () -> advanced(System.nanoTime()));
        }
        unpause();
        if (!multiplexed && response.writeQueueFull()) {
            response.drainHandler(_ -> {
                // Vert.x would call it again when a part of this response has been taken.
                response.drainHandler(null);
                end(response, answer);
            });
        } else {
            end(response, answer);
        }
    }

    private void writeHead(Response answer, MultiMap headers) {
        ResponseWriter.add(answer.headers(), headers);
        if (decision != null) {
            ResponseWriter.add(decision.headers(), headers);
        }
        if (begun != null) {
            ResponseWriter.add(begun.headers(), headers);
        }
        headers.add(REQUEST_ID, new AsciiString(head.id().getBytes(StandardCharsets.US_ASCII), false));
        ResponseWriter.add(date, headers);
        ResponseWriter.add(NO_SNIFF, headers);
        if (connections.isStopping() && !multiplexed) {
            headers.set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
    }

    /// The headers' own `size()` would sort their names, for every request.
    private boolean hasManyFields() {
        int fields = 0;
        for (var _ : request.headers()) {
            fields++;
        }
        return fields > USUAL_FIELDS;
    }

    private void end(HttpServerResponse response, Response answer) {
        if (response.ended() || response.closed()) {
            return;
        }
        ResponseWriter.end(request, answer).onComplete(done -> {
            long now = System.nanoTime();
            stage = Stage.SENT;
            if (done.succeeded()) {
                finished(answer, now);
            } else {
                abandoned();
                if (!multiplexed) {
                    // Close the connection, or the client would take the next response for this one.
                    closeNow();
                }
            }
            advanced(now);
        });
    }

    private void advanced(long now) {
        if (watch != null) {
            watch.advanced(this, now);
        }
    }

    /// Records that the connection, or the stream of HTTP/2, is closed. A response that Vert.x has is recorded by [#end].
    void closed() {
        if (!request.response().ended()) {
            abandoned();
        }
    }

    private void abandoned() {
        finish(0, 0, Optional.empty(), System.nanoTime());
    }

    private void finished(Response answer, long now) {
        finish(answer.status(), head.method().equals("HEAD") ? 0 : answer.body().length, answer.refusal(), now);
    }

    private void finish(int status, long bytes, Optional<Kind> refusal, long now) {
        if (!finished) {
            finished = true;
            telemetry.finished(new FinishedRequest(head.id(), Telemetry.methodName(head),
                    begun == null ? Api.NO_ROUTE : begun.route(), begun != null && begun.deprecated(),
                    decision == null ? Api.NO_KEY : decision.keyId(), parent, head.beganMillis(), now - beganNanos,
                    status, bytes, refusal));
        }
    }

    private void streamClosed() {
        streamClosed = true;
        closed();
        advanced(System.nanoTime());
        // Vert.x says nothing more of a response that waited behind others.
        context.runOnContext(_ -> abandoned());
    }

    /// Ends it at once, and with HTTP/1.1 its connection.
    void closeNow() {
        if (watch == null) {
            return;
        }
        if (multiplexed) {
            watch.resetStream(request.response().streamId());
        } else {
            watch.closeNow();
        }
    }
}
