package petstore.http.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpUtil;
import io.vertx.core.http.impl.headers.Http1xHeaders;

/// Encodes head and body of a response to one buffer, because writing two buffers costs more. The body is copied off the heap in either
/// case. One for each connection of HTTP/1.1.
final class ResponseEncoder extends HttpResponseEncoder {

    /// The usual size of a head, in bytes. For a longer head the buffer grows.
    private static final int HEAD = 768;
    private static final int CRLF = '\r' << 8 | '\n';

    /// Leaves responses without a body, or in chunks, to Netty.
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

    /// Encodes Vert.x's headers with their own encoder.
    @Override
    protected void encodeHeaders(HttpHeaders headers, ByteBuf buffer) {
        if (headers instanceof Http1xHeaders known) {
            known.encode(buffer, false);
        } else {
            super.encodeHeaders(headers, buffer);
        }
    }
}
