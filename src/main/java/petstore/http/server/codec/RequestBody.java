package petstore.http.server.codec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;
import petstore.http.message.Api;
import petstore.http.message.Response;

/// The body of a request, as it arrives. Confined to its event loop.
public final class RequestBody {

    /// The state of a body, which decides the next step of its exchange.
    public enum State {
        /// The rest has not arrived, or the API does not want the body, or has it.
        WAITING,
        /// The client awaits a response 100 before it sends the body.
        CONTINUE_EXPECTED,
        /// The body has arrived, and can be passed to the API.
        WHOLE,
        /// The client has announced or sent more bytes than the limit.
        TOO_LONG,
        /// The last part is not well-formed.
        MALFORMED,
        /// So much of an unwanted body was dropped that the rest is not read.
        ENDLESS
    }

    /// The maximum number of bytes of an unwanted body that are read and dropped.
    private static final long MOST_DROPPED_BYTES = 16L * 1024 * 1024;

    /// The part that has arrived; null once it is passed to the API, or dropped.
    private @Nullable ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
    private final Head head;
    private final Channel channel;
    /// Takes the body; null until the API wants it.
    private Api.@Nullable ReadBody reader;
    private long droppedBytes;
    private boolean isComplete;
    private boolean isPaused;

    /// @param channel the connection, with HTTP/2 the stream
    public RequestBody(Head head, Channel channel) {
        this.head = head;
        this.channel = channel;
        this.isComplete = !head.hasBody();
    }

    public boolean isComplete() {
        return isComplete;
    }

    /// Records that the API wants the body. For a head that is not refused.
    public State want(Api.ReadBody by) {
        reader = by;
        String announced = head.fields().first("Content-Length");
        if (announced != null && Long.parseLong(announced) > by.limit()) {
            return State.TOO_LONG;
        }
        State state = state(by);
        // The API has refused every expectation but 100-continue.
        return state == State.WAITING && bytes != null && !head.fields().elements("Expect").isEmpty()
                ? State.CONTINUE_EXPECTED
                : state;
    }

    /// Keeps a part, or drops it if it is not wanted.
    public State add(HttpContent part) throws IOException {
        if (bytes != null) {
            part.content().readBytes(bytes, part.content().readableBytes());
        } else {
            droppedBytes += part.content().readableBytes();
        }
        if (part instanceof LastHttpContent) {
            isComplete = true;
            resume();
        }
        if (part.decoderResult().isFailure()) {
            return State.MALFORMED;
        }
        if (droppedBytes > MOST_DROPPED_BYTES) {
            return State.ENDLESS;
        }
        return reader == null ? State.WAITING : state(reader);
    }

    private State state(Api.ReadBody by) {
        if (bytes == null) {
            return State.WAITING;
        }
        if (bytes.size() > by.limit()) {
            return State.TOO_LONG;
        }
        return isComplete ? State.WHOLE : State.WAITING;
    }

    /// Returns the limit of a body that the API wants, in bytes.
    public int limit() {
        return Objects.requireNonNull(reader).limit();
    }

    /// Passes the whole body to the API, once. Returns its response.
    public CompletableFuture<Response> pass() {
        byte[] whole = Objects.requireNonNull(bytes).toByteArray();
        bytes = null;
        return Objects.requireNonNull(reader).operation().apply(whole);
    }

    /// Pauses reading, unless the body is complete.
    public void pause() {
        if (!isPaused && !isComplete) {
            isPaused = true;
            channel.config().setAutoRead(false);
        }
    }

    public void resume() {
        if (isPaused) {
            isPaused = false;
            channel.config().setAutoRead(true);
        }
    }

    /// Frees the memory of the body, and drops its further parts: a client may read the response only after it has sent the body.
    public void drop() {
        bytes = null;
        resume();
    }
}
