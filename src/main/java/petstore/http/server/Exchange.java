package petstore.http.server;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http2.Http2StreamChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.http.message.Api;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.server.codec.Head;
import petstore.http.server.codec.RequestBody;
import petstore.http.server.codec.ResponseEncoder;
import petstore.http.telemetry.Telemetry;

/// One request and its response, over HTTP/1.1 or a stream of HTTP/2. Confined to its event loop.
final class Exchange {

    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    private static final Response LATE = Errors
            .response(new Failure(Failure.Unavailability.LATE, "the service could not answer in time"));
    static final Response NO_MEMORY = Errors
            .response(new Failure(Failure.Unavailability.MEMORY, "the service is overloaded; try again later"));
    /// The time to read a response while memory is short.
    private static final Duration READ_TIME_WHEN_SHORT = Duration.ofMillis(250);
    private static final Optional<Header> CLOSED = Optional.of(Header.of("Connection", "close"));

    private enum Stage {
        /// The request arrives.
        READING,
        /// The API works, on another thread or in a later turn of the event loop.
        WORKING,
        /// The client reads the response.
        SENDING,
        /// The response is sent, or will never be. The rest of the request may be missing.
        SENT
    }

    private final ChannelHandlerContext context;
    private final Connection connection;
    private final ListenerContext listener;
    private final Head head;
    private final RequestHead request;
    private final Telemetry.RequestRecord record;
    private final RequestBody body;
    private final RequestHandler handler;
    /// The headers that the API adds to every response.
    private List<Header> ofRequest = List.of();
    private Stage stage = Stage.READING;
    /// The time by [System#nanoTime] just before the response was sent, or when the exchange ended without one.
    private long sentNanos;
    private boolean isLast;

    Exchange(ChannelHandlerContext context, Connection connection, ListenerContext listener, Head head,
            RequestHead request, RequestHandler handler) {
        this.context = context;
        this.connection = connection;
        this.listener = listener;
        this.head = head;
        this.request = request;
        this.handler = handler;
        this.isLast = head.isLast();
        this.body = new RequestBody(head, context.channel());
        this.record = listener.telemetry().began(request);
    }

    /// Hands the request to the API, or answers it if it is refused.
    void begin() {
        connection.add(this);
        proceed(head.refusal().isPresent()
                ? listener.api().refuse(request, head.refusal().get())
                : listener.api().decide(request));
    }

    private void proceed(Api.Decision decision) {
        record.decided(decision);
        ofRequest = decision.headers();
        switch (decision.next()) {
            case Api.Respond(Response response) -> send(response);
            case Api.RespondLast(Response response) -> {
                isLast = !isStream();
                send(response);
            }
            case Api.AwaitKey(CompletableFuture<Api.Decision> later) -> {
                await(later, known -> {
                    proceed(known);
                    body.resume();
                });
                body.pause();
            }
            case Api.Await(CompletableFuture<Response> response) -> {
                respond(response);
                body.drop();
            }
            case Api.ReadBody reader -> proceedWithBody(body.want(reader));
        }
    }

    private void respond(CompletableFuture<Response> response) {
        // The received part of the body is read first: it may not be well-formed.
        if (response.isDone() && !head.hasBody()) {
            send(response.join());
        } else {
            await(response, this::send);
        }
    }

    void received(HttpContent part) throws IOException {
        proceedWithBody(body.add(part));
        advanced();
    }

    private void proceedWithBody(RequestBody.State state) {
        switch (state) {
            case WAITING -> {
            }
            case CONTINUE_EXPECTED -> {
                var _ = context.writeAndFlush(ResponseEncoder.CONTINUE);
            }
            case WHOLE -> respond(body.pass());
            case TOO_LONG -> send(Errors.response(Failure.Kind.PAYLOAD_TOO_LARGE,
                    "the body is longer than " + body.limit() + " bytes"));
            case MALFORMED -> {
                isLast = true;
                send(Errors.response(Failure.Kind.INVALID_REQUEST, "the body is not well-formed HTTP"));
            }
            case ENDLESS -> closeNow();
        }
    }

    /// Calls `next` with the value of a future, on the event loop, unless a response is sent meanwhile.
    private <T> void await(CompletableFuture<T> future, Consumer<T> next) {
        stage = stage == Stage.READING ? Stage.WORKING : stage;
        var _ = future.whenComplete((_, _) -> context.executor().execute(() -> {
            if (stage == Stage.WORKING) {
                stage = Stage.READING;
                try {
                    next.accept(future.join());
                } catch (Exception | Error e) {
                    fail(e);
                }
            }
        }));
    }

    /// Closes the stream, with HTTP/1.1 the connection, because of a defect.
    void fail(Throwable defect) {
        LOG.error("request {} failed", request.id(), defect);
        endsBecause("internal error");
        closeNow();
    }

    long sentNanos() {
        return sentNanos;
    }

    /// Returns true if the connection closes after the response.
    boolean isLast() {
        return isLast;
    }

    boolean isResponseDue() {
        return stage == Stage.WORKING || stage == Stage.SENDING;
    }

    /// Returns true if the client has not read the response for so long that its memory is needed.
    boolean isUnread(long now) {
        return stage == Stage.SENDING && now - sentNanos > READ_TIME_WHEN_SHORT.toNanos();
    }

    /// Sends the response. The rest of the body is dropped.
    void send(Response response) {
        if (stage.compareTo(Stage.SENDING) >= 0) {
            return;
        }
        // Frees memory: the client may take long to read the response. While the API works, it may still read the fields.
        if (stage != Stage.WORKING) {
            head.fields().drop();
        }
        stage = Stage.SENDING;
        sentNanos = System.nanoTime();
        isLast |= !isStream() && listener.stopping().get();
        var _ = context
                .writeAndFlush(listener.withCommonHeaders(response, request, ofRequest, isLast ? CLOSED : head.kept()))
                .addListener(sent -> written(response, sent.isSuccess()));
        body.drop();
    }

    private void written(Response response, boolean isSent) {
        if (isSent) {
            stage = Stage.SENT;
            record.finish(Optional.of(response));
            advanced();
        } else {
            closeNow();
            closed();
        }
    }

    private boolean isStream() {
        return context.channel() instanceof Http2StreamChannel;
    }

    private void advanced() {
        if (stage == Stage.SENT && isLast) {
            connection.remove(this);
        } else if (stage == Stage.SENT && body.isComplete()) {
            handler.ended(this);
        }
    }

    /// Ends the exchange if its header block has been complete for longer than `age`: with a 503 if the API is late, else by closing.
    void expire(Duration age, long now) {
        if (!record.isOlder(age.toNanos(), now)) {
            return;
        }
        if (stage == Stage.WORKING) {
            send(LATE);
            return;
        }
        endsBecause("not complete within --request-timeout");
        if (isStream()) {
            closeNow();
        } else if (stage == Stage.SENDING) {
            connection.closer().abort();
        } else if (stage == Stage.SENT) {
            connection.closer().drain();
        } else {
            connection.closer().close();
        }
    }

    void endsBecause(String reason) {
        record.endsBecause(reason);
    }

    void closed() {
        if (listener.stopping().get()) {
            endsBecause("the connection was closed while the service stopped");
        }
        if (stage.compareTo(Stage.SENDING) < 0) {
            sentNanos = System.nanoTime();
        }
        stage = Stage.SENT;
        // Frees the part that waits in a stream. Netty ends a stream only once it is read.
        body.drop();
        record.finish(Optional.empty());
        connection.remove(this);
    }

    /// Closes the stream, with HTTP/1.1 the connection.
    void closeNow() {
        connection.closer().closeNow(context.channel());
    }
}
