package petstore.http.server;

import java.io.IOException;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http2.Http2Exception;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.http.server.codec.Head;
import petstore.http.server.codec.RequestDecoder;

/// Answers the requests of a connection of HTTP/1.1, one after the other, or the request of a stream of HTTP/2.
final class RequestHandler extends SimpleChannelInboundHandler<Object> {

    private final Connection connection;
    private final ListenerContext listener;
    private final @Nullable RequestDecoder decoder;
    private @Nullable Exchange exchange;

    /// @param decoder decodes the next request of HTTP/1.1; null for a stream of HTTP/2
    RequestHandler(Connection connection, ListenerContext listener, @Nullable RequestDecoder decoder) {
        this.connection = connection;
        this.listener = listener;
        this.decoder = decoder;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Object message) throws IOException {
        if (message instanceof Head head) {
            exchange = new Exchange(context, connection, listener, head, request(head), this);
            exchange.begin();
        } else if (message instanceof HttpContent content && exchange != null) {
            exchange.received(content);
        }
    }

    /// Returns the head of a request that begins now, as the API gets it.
    private RequestHead request(Head head) {
        String[] target = head.target().split("\\?", 2);
        HeaderFields fields = head.fields();
        return new RequestHead(head.method(), target[0], target.length > 1 ? target[1] : null, fields,
                connection.client().of(fields),
                listener.telemetry().requestId(fields.first(ListenerContext.REQUEST_ID)), listener.clock().millis());
    }

    /// Records that the request has arrived and its response is sent.
    void ended(Exchange answered) {
        // Frees the memory of the request while the connection is idle.
        exchange = null;
        if (decoder == null) {
            connection.remove(answered);
        } else {
            decoder.next(() -> connection.remove(answered));
        }
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
