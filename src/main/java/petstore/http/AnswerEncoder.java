package petstore.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.headers.Http1xHeaders;

/// Encodes the head of an answer and its body to one buffer: to hand the system one of them costs less than two, and the body is
/// copied out of the heap anyway. One for each connection of HTTP/1.1.
final class AnswerEncoder extends HttpResponseEncoder {

    /// Room for the head, in bytes; for a longer one the buffer grows.
    private static final int HEAD = 768;
    /// Up to so many bytes Netty makes room for a body by itself.
    private static final int SMALL = 128;

    /// Takes the place of Vert.x's own encoder.
    static void install(HttpConnection connection) {
        ChannelPipeline pipeline = ((HttpServerConnection) connection).channelHandlerContext().pipeline();
        pipeline.replace(HttpResponseEncoder.class, "answers", new AnswerEncoder());
    }

    /// Netty puts the body where the head is if it finds room for it there.
    @Override
    protected void encodeInitialLine(ByteBuf buffer, HttpResponse response) throws Exception {
        if (response instanceof FullHttpResponse whole && whole.content().readableBytes() > SMALL) {
            buffer.ensureWritable(HEAD + whole.content().readableBytes());
        }
        super.encodeInitialLine(buffer, response);
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
