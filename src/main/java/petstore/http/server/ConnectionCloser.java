package petstore.http.server;

import java.time.Duration;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import org.jspecify.annotations.Nullable;

/// The only class of the server that closes a connection or resets one of its streams. Confined to the connection's event loop.
final class ConnectionCloser {

    private static final long LONGEST_FLUSH_NANOS = Duration.ofSeconds(1).toNanos();

    private final Channel channel;
    /// The handler of Vert.x; null until Vert.x has the connection.
    private @Nullable ChannelHandlerContext vertx;
    private boolean goingAway;
    /// The time by [System#nanoTime] when GOAWAY was written.
    private long goingAwayNanos;
    private boolean ending;

    ConnectionCloser(Channel channel) {
        this.channel = channel;
    }

    void opened(ChannelHandlerContext handler) {
        vertx = handler;
    }

    /// Closes without waiting for the client to read, unlike `HttpConnection.close()`. With HTTP/2, sends GOAWAY first, and closes at the
    /// next call.
    void closeGracefully() {
        ChannelHandlerContext handler = vertx;
        if (goingAway) {
            closeNow();
        } else if (handler == null || handler.handler() instanceof Http2ConnectionHandler) {
            goingAway = true;
            goingAwayNanos = System.nanoTime();
            var _ = channel.close();
        } else {
            var _ = handler.close();
        }
    }

    /// Returns true if the client has not taken GOAWAY within a second, so that [#closeGracefully] must be called again.
    boolean isLate(long now) {
        return goingAway && now - goingAwayNanos > LONGEST_FLUSH_NANOS;
    }

    /// Closes at once. Bytes that wait in the process are not sent.
    void closeNow() {
        var _ = channel.pipeline().firstContext().close();
    }

    /// Makes the next response of HTTP/1.1 the last: later requests are not handled.
    void endAfterResponse() {
        ending = true;
    }

    boolean isEnding() {
        return ending;
    }

    /// Ends the connection after its last response. While the client sends a body, only the output ends, because a TCP reset could
    /// destroy the response.
    void end(boolean bodyIsComplete) {
        if (bodyIsComplete) {
            closeGracefully();
        } else if (channel instanceof DuplexChannel duplex) {
            var _ = duplex.shutdownOutput();
        }
    }

    /// Closes at once with a TCP reset, which drops the bytes that wait in the operating system too.
    void abort() {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        closeNow();
    }

    /// Resets a stream of HTTP/2. Vert.x does not reset a stream whose response waits for the client.
    void resetStream(long stream) {
        ChannelHandlerContext handler = vertx;
        if (handler != null && handler.handler() instanceof Http2ConnectionHandler http2
                && http2.connection().stream(Math.toIntExact(stream)) != null) {
            var _ = http2.resetStream(handler, Math.toIntExact(stream), Http2Error.CANCEL.code(),
                    handler.newPromise());
            handler.flush();
        }
    }
}
