package petstore.http.server;

import java.io.IOException;
import java.util.function.Consumer;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import petstore.http.server.codec.Head;

/// Answers the requests of a connection of HTTP/1.1, one after the other, or the request of a stream of HTTP/2.
final class RequestHandler extends ChannelInboundHandlerAdapter {

    private final Connection connection;
    private final Listener listener;
    private final Consumer<Exchange> done;
    private @Nullable Exchange exchange;

    /// @param done gets each exchange that has ended, unless the connection closes after it
    RequestHandler(Connection connection, Listener listener, Consumer<Exchange> done) {
        this.connection = connection;
        this.listener = listener;
        this.done = done;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
        try {
            if (message instanceof Head head) {
                exchange = new Exchange(context, connection, listener, head, this::ended);
                exchange.begin();
            } else if (message instanceof HttpContent content && exchange != null) {
                exchange.received(content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void ended(Exchange answered) {
        // Frees the memory of the request while the connection is idle.
        exchange = null;
        done.accept(answered);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (exchange != null) {
            exchange.closed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // After an invalid frame, Netty resets the stream with the error's code.
        if (!(cause instanceof Http2Exception)) {
            if (exchange != null && !(cause instanceof IOException) && !(cause instanceof DecoderException)) {
                exchange.fail(cause);
            } else {
                connection.closer().closeNow(context.channel());
            }
        }
    }
}
