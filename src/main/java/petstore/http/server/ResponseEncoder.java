package petstore.http.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.headers.Http1xHeaders;

/// Encodes the head of an answer and its body to one buffer: to hand the system one of them costs less than two, and the body is
/// copied out of the heap anyway. One for each connection of HTTP/1.1.
final class ResponseEncoder extends HttpResponseEncoder {

    /// ConnectionLimit for the head, in bytes; for a longer one the buffer grows.
    private static final int HEAD = 768;
    private static final int CRLF = '\r' << 8 | '\n';

    /// Takes the place of Vert.x's own encoder.
    static void install(HttpConnection connection) {
        ChannelPipeline pipeline = ((HttpServerConnection) connection).channelHandlerContext().pipeline();
        pipeline.replace(HttpResponseEncoder.class, "answers", new ResponseEncoder());
    }

    /// What has no body, or comes in chunks, is left to Netty.
    @Override
    public void write(ChannelHandlerContext connection, Object message, ChannelPromise done) throws Exception {
        if (message instanceof FullHttpResponse whole && whole.content().isReadable() && !isContentAlwaysEmpty(whole)
                && !HttpUtil.isTransferEncodingChunked(whole)) {
            var _ = connection.write(encode(whole, connection.alloc()), done);
        } else {
            super.write(connection, message, done);
        }
    }

    private ByteBuf encode(FullHttpResponse whole, ByteBufAllocator allocator) throws Exception {
        ByteBuf buffer = allocator.directBuffer(HEAD + whole.content().readableBytes());
        try {
            encodeInitialLine(buffer, whole);
            encodeHeaders(whole.headers(), buffer);
            return buffer.writeShort(CRLF).writeBytes(whole.content());
        } catch (Exception | Error e) {
            buffer.release();
            throw e;
        } finally {
            whole.release();
        }
    }

    /// Vert.x's headers know how to encode themselves.
    @Override
    protected void encodeHeaders(HttpHeaders headers, ByteBuf buffer) {
        if (headers instanceof Http1xHeaders known) {
            known.encode(buffer, false);
        } else {
            super.encodeHeaders(headers, buffer);
        }
    }
}
