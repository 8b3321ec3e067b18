package petstore.http.server.codec;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.AsciiString;
import io.netty.util.CharsetUtil;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// Writes a long body in slices, each once the system has taken the earlier ones; the stock encoders keep the whole body off-heap.
@Sharable
public abstract sealed class ResponseEncoder extends ChannelOutboundHandlerAdapter {

    /// The response that asks the client for the body.
    public static final Response CONTINUE = Response.bodiless(100);

    private static final int SLICE = 16 * 1024;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise done) {
        if (message instanceof Response response) {
            writeFrom(0, context, response, done);
        } else {
            var _ = context.write(message, done);
        }
    }

    private void writeFrom(int from, ChannelHandlerContext context, Response response, ChannelPromise done) {
        byte[] body = response.body();
        int end = Math.min(from + SLICE, body.length);
        boolean isLast = end == body.length;
        ChannelPromise written = isLast ? done : context.newPromise();
        if (from == 0) {
            writeHead(context, response, end, written);
        } else {
            var _ = context.writeAndFlush(part(Unpooled.wrappedBuffer(body, from, end - from), isLast), written);
        }
        if (!isLast) {
            var _ = written.addListener(_ -> {
                if (written.isSuccess()) {
                    writeFrom(end, context, response, done);
                } else {
                    done.tryFailure(written.cause());
                }
            });
        }
    }

    /// Writes the head and the first slice.
    ///
    /// @param first the length of the first slice; 0 if there is no body
    abstract void writeHead(ChannelHandlerContext context, Response response, int first, ChannelPromise done);

    /// Returns the message for a later slice.
    abstract Object part(ByteBuf slice, boolean isLast);

    /// Encodes the head and the first slice into one buffer, because writing two costs more.
    public static final class OfHttp1 extends ResponseEncoder {

        private static final byte[] VERSION = "HTTP/1.1 ".getBytes(CharsetUtil.US_ASCII);
        private static final int COLON = ':' << 8 | ' ';
        private static final int CRLF = '\r' << 8 | '\n';
        /// The usual size of a head, in bytes. For a longer head the buffer grows.
        private static final int HEAD = 768;

        @Override
        void writeHead(ChannelHandlerContext context, Response response, int first, ChannelPromise done) {
            HttpResponseStatus status = HttpResponseStatus.valueOf(response.status());
            ByteBuf bytes = context.alloc().directBuffer(HEAD + first).writeBytes(VERSION);
            bytes.writeCharSequence(status.codeAsText(), CharsetUtil.US_ASCII);
            bytes.writeByte(' ').writeCharSequence(status.reasonPhrase(), CharsetUtil.US_ASCII);
            bytes.writeShort(CRLF);
            for (Header header : response.headers()) {
                bytes.writeCharSequence(header.name(), CharsetUtil.US_ASCII);
                bytes.writeShort(COLON).writeBytes(header.value()).writeShort(CRLF);
            }
            var _ = context.write(bytes.writeShort(CRLF).writeBytes(response.body(), 0, first), done);
        }

        @Override
        Object part(ByteBuf slice, boolean isLast) {
            return slice;
        }
    }

    /// Writes frames of a stream.
    public static final class OfStream extends ResponseEncoder {

        /// Names in lower case, which are few: no client chooses them.
        private static final Map<String, AsciiString> NAMES = new ConcurrentHashMap<>();

        @Override
        void writeHead(ChannelHandlerContext context, Response response, int first, ChannelPromise done) {
            Http2Headers head = new DefaultHttp2Headers(false, response.headers().size())
                    .status(HttpResponseStatus.valueOf(response.status()).codeAsText());
            for (Header header : response.headers()) {
                head.add(NAMES.computeIfAbsent(header.name(), name -> AsciiString.cached(name).toLowerCase()),
                        new AsciiString(header.value(), false));
            }
            boolean isWhole = first == 0 && response.status() != CONTINUE.status();
            var _ = context.write(new DefaultHttp2HeadersFrame(head, isWhole),
                    first == 0 ? done : context.newPromise());
            if (first > 0) {
                var _ = context.write(part(Unpooled.wrappedBuffer(response.body(), 0, first),
                        first == response.body().length), done);
            }
        }

        @Override
        Object part(ByteBuf slice, boolean isLast) {
            return new DefaultHttp2DataFrame(slice, isLast);
        }

        /// Resets a stream that is closed before its end. Netty would not reset one whose response waits for the client, and would
        /// reset one that the client has reset.
        @Override
        public void close(ChannelHandlerContext context, ChannelPromise done) {
            if (((Http2StreamChannel) context.channel()).stream().state() == Http2Stream.State.CLOSED) {
                // Netty closes the channel after this.
                done.trySuccess();
                return;
            }
            var _ = context.write(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
            context.flush();
            var _ = context.close(done);
        }
    }
}
