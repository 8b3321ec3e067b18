package petstore.http.server.codec;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/// Decodes one request of HTTP/1.1 at a time; the stock decoder decodes all that have arrived, and they take many times the memory of
/// their bytes.
///
/// Later requests stay bytes, of one read at most: then the connection is not read until [#next].
public final class RequestDecoder extends HttpRequestDecoder {

    public static final int MOST_LINE_BYTES = 4 * 1024;
    public static final int MOST_HEAD_BYTES = 8 * 1024;

    private final Runnable headBegan;
    /// True from the end of a request to [#next].
    private boolean isWaiting;
    /// Null until the decoder is in its pipeline.
    private @Nullable ChannelHandlerContext context;

    /// @param headBegan called once [#next] has decoded the bytes of a further request that had arrived
    public RequestDecoder(Runnable headBegan) {
        super(new HttpDecoderConfig().setMaxInitialLineLength(MOST_LINE_BYTES).setMaxHeaderSize(MOST_HEAD_BYTES)
                .setStrictLineParsing(true).setUseRfc9112TransferEncoding(true));
        this.headBegan = headBegan;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext here) {
        context = here;
    }

    @Override
    protected void decode(ChannelHandlerContext here, ByteBuf bytes, List<Object> decoded) throws Exception {
        if (!isWaiting) {
            super.decode(here, bytes, decoded);
            isWaiting = !decoded.isEmpty() && decoded.getLast() instanceof LastHttpContent;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext here, Object bytes) throws Exception {
        super.channelRead(here, bytes);
        if (isWaiting && actualReadableBytes() > 0) {
            here.channel().config().setAutoRead(false);
        }
    }

    /// Decodes the next request. If its bytes have arrived, they wait for a turn of the event loop, so that other connections come first.
    /// `execute` would run in this turn.
    ///
    /// @param ended called before the request is decoded
    public void next(Runnable ended) {
        if (actualReadableBytes() == 0) {
            isWaiting = false;
            ended.run();
        } else {
            ChannelHandlerContext here = Objects.requireNonNull(context);
            var _ = here.executor().schedule(() -> decodeNext(here, ended), 0, TimeUnit.NANOSECONDS);
        }
    }

    private Void decodeNext(ChannelHandlerContext here, Runnable ended) throws Exception {
        isWaiting = false;
        ended.run();
        if (!here.isRemoved()) {
            here.channel().config().setAutoRead(true);
            channelRead(here, Unpooled.EMPTY_BUFFER);
            headBegan.run();
        }
        return null;
    }

    /// Requests no further read while reading is off, unlike the stock decoder.
    @Override
    public void channelReadComplete(ChannelHandlerContext here) throws Exception {
        if (here.channel().config().isAutoRead()) {
            super.channelReadComplete(here);
        } else {
            here.fireChannelReadComplete();
        }
    }

    /// Only these two fields announce a body; Netty also expects one after the fields of an old version of web sockets.
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage head) {
        return !head.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)
                && !head.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
    }

    /// Drops a part of a request when the connection is closed.
    @Override
    protected void decodeLast(ChannelHandlerContext here, ByteBuf bytes, List<Object> decoded) {
        bytes.skipBytes(bytes.readableBytes());
    }
}
