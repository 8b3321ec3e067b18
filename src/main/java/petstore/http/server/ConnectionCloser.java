package petstore.http.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import org.jspecify.annotations.Nullable;

/// Every way to close a connection. Confined to the connection's event loop.
final class ConnectionCloser {

    private final Channel channel;
    /// The handler of Vert.x; null until Vert.x knows the connection.
    private @Nullable ChannelHandlerContext vertx;
    private boolean multiplexed;
    /// True if the client has been told that the connection ends.
    private boolean closing;

    ConnectionCloser(Channel channel) {
        this.channel = channel;
    }

    /// Vert.x handles the connection from now on.
    ///
    /// @param http2 true if the connection carries many requests at once
    void opened(ChannelHandlerContext handler, boolean http2) {
        vertx = handler;
        multiplexed = http2;
    }

    /// Closes once the system has taken what it takes at once; `HttpConnection.close()` would wait until everything is sent. A client
    /// of HTTP/2 is told first, and has until the next call to read that.
    void closeGracefully() {
        ChannelHandlerContext handler = vertx;
        if (closing) {
            closeNow();
        } else if (multiplexed || handler == null) {
            closing = true;
            var _ = channel.close();
        } else {
            var _ = handler.close();
        }
    }

    /// Closes at once. What the system has not taken yet is not sent.
    void closeNow() {
        var _ = channel.pipeline().firstContext().close();
    }

    /// Closes at once with a TCP reset: the system drops what the client has not read.
    void abort() {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        closeGracefully();
    }

    /// As [#abort], also if the client of HTTP/2 has not been told.
    void abortForMemory() {
        closing = true;
        abort();
    }

    /// Ends one stream of HTTP/2 and leaves the others. Vert.x does not once it has the whole response, of which the client may read
    /// nothing.
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
