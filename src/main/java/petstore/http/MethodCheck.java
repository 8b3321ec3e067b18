package petstore.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/// Resets a stream of HTTP/2 whose method is no token, for which Vert.x would end the whole connection. One for each connection.
/// Source: RFC 9110 section 9.1, RFC 9113 section 8.1.1.
final class MethodCheck extends Http2FrameListenerDecorator {

    private MethodCheck(Http2FrameListener vertx) {
        super(vertx);
    }

    /// Has every request of a connection checked.
    static void install(HttpConnection connection) {
        ChannelHandlerContext vertx = ((HttpServerConnection) connection).channelHandlerContext();
        Http2ConnectionDecoder decoder = ((Http2ConnectionHandler) vertx.handler()).decoder();
        decoder.frameListener(new MethodCheck(decoder.frameListener()));
    }

    /// The head of a request, or its trailers, which have no method. To a request without one Vert.x does the same.
    @Override
    public void onHeadersRead(ChannelHandlerContext context, int stream, Http2Headers headers, int dependency,
            short weight, boolean exclusive, int padding, boolean last) throws Http2Exception {
        CharSequence method = headers.method();
        if (method != null && !isToken(method)) {
            throw Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "the method is no token");
        }
        super.onHeadersRead(context, stream, headers, dependency, weight, exclusive, padding, last);
    }

    private static boolean isToken(CharSequence text) {
        return !text.isEmpty() && HttpHeaderValidationUtil.validateToken(text) == -1;
    }
}
