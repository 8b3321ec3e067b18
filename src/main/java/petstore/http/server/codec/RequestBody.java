package petstore.http.server.codec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/// The body of a request, as it arrives. Confined to its event loop.
public final class RequestBody {

    /// The maximum number of bytes of an unwanted body that are read and dropped.
    private static final long MOST_DROPPED_BYTES = 16L * 1024 * 1024;

    /// The part that has arrived; null if it is not wanted.
    private @Nullable ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
    private final @Nullable String announcedLength;
    private final Channel channel;
    private long droppedBytes;
    private boolean isComplete;
    private boolean isPaused;

    /// @param channel the connection, with HTTP/2 the stream
    public RequestBody(Head head, Channel channel) {
        this.channel = channel;
        this.announcedLength = head.fields().first("Content-Length");
        this.isComplete = !head.hasBody();
    }

    public boolean isComplete() {
        return isComplete;
    }

    /// Returns true if the body may still be taken.
    public boolean isWanted() {
        return bytes != null;
    }

    /// Returns true if the client has announced or sent more bytes than `limit`. For a head that is not refused.
    public boolean isLongerThan(int limit) {
        return (announcedLength != null && Long.parseLong(announcedLength) > limit)
                || (bytes != null && bytes.size() > limit);
    }

    /// Keeps a part, or drops it if it is not wanted.
    public void add(ByteBuf part, boolean isLast) throws IOException {
        if (bytes != null) {
            part.readBytes(bytes, part.readableBytes());
        } else {
            droppedBytes += part.readableBytes();
        }
        isComplete |= isLast;
        if (isComplete) {
            setReading(true);
        }
    }

    /// Pauses or resumes reading. A complete body is not paused.
    public void setReading(boolean now) {
        if (isPaused == now && (now || !isComplete)) {
            isPaused = !now;
            channel.config().setAutoRead(now);
        }
    }

    /// Returns true if so much of an unwanted body was dropped that the rest is not read.
    public boolean isEndless() {
        return droppedBytes > MOST_DROPPED_BYTES;
    }

    /// Returns the whole body, once.
    public byte[] take() {
        byte[] whole = bytes == null ? new byte[0] : bytes.toByteArray();
        bytes = null;
        return whole;
    }

    /// Drops the body, and its further parts: a client may read the response only after it has sent the body.
    public void drop() {
        bytes = null;
    }
}
