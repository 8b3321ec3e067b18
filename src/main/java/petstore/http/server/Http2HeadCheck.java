package petstore.http.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import petstore.http.message.UriHost;

/// Checks in the head of an HTTP/2 request what Vert.x checks wrongly. One for each connection.
///
/// A stream whose method is no token is reset; Vert.x would end the whole connection. A valid authority is replaced by one that
/// Vert.x can parse, an invalid one is removed, and [HeadCheck#refusal] answers the request.
/// Source: RFC 9110 section 9.1, RFC 9113 sections 8.1.1 and 8.3.1.
final class Http2HeadCheck extends Http2FrameListenerDecorator {

    private static final AsciiString PARSEABLE = AsciiString.cached("petstore");

    private Http2HeadCheck(Http2FrameListener vertx) {
        super(vertx);
    }

    /// Has every request of a connection checked.
    static void install(HttpConnection connection) {
        ChannelHandlerContext vertx = ((HttpServerConnection) connection).channelHandlerContext();
        Http2ConnectionDecoder decoder = ((Http2ConnectionHandler) vertx.handler()).decoder();
        decoder.frameListener(new Http2HeadCheck(decoder.frameListener()));
    }

    /// The head of a request, or its trailers, which have no method. To a request without one Vert.x does the same.
    @Override
    public void onHeadersRead(ChannelHandlerContext context, int stream, Http2Headers headers, int dependency,
            short weight, boolean exclusive, int padding, boolean last) throws Http2Exception {
        CharSequence method = headers.method();
        if (method != null && !isToken(method)) {
            throw Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "the method is no token");
        }
        if (method != null) {
            if (hasOneHost(headers)) {
                headers.authority(PARSEABLE);
            } else {
                headers.remove(Http2Headers.PseudoHeaderName.AUTHORITY.value());
            }
            headers.remove(HttpHeaderNames.HOST);
        }
        super.onHeadersRead(context, stream, headers, dependency, weight, exclusive, padding, last);
    }

    /// Whether `:authority` and `Host`, of which one may be missing, name the same valid host.
    private static boolean hasOneHost(Http2Headers headers) {
        CharSequence authority = headers.authority();
        CharSequence host = headers.get(HttpHeaderNames.HOST);
        CharSequence named = authority == null ? host : authority;
        return named != null && UriHost.isHostAndPort(named) && (host == null || AsciiString.contentEquals(named, host))
                && headers.getAll(HttpHeaderNames.HOST).size() <= 1;
    }

    private static boolean isToken(CharSequence text) {
        return !text.isEmpty() && HttpHeaderValidationUtil.validateToken(text) == -1;
    }
}
