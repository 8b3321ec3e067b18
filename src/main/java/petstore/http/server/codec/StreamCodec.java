package petstore.http.server.codec;

import java.util.List;
import java.util.function.Consumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Exception.HeaderListSizeException;
import io.netty.handler.codec.http2.Http2Exception.StreamException;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Settings;

/// Builds the codec of HTTP/2 so that an error of a stream ends only that stream, and that it tells when a head has arrived in part; the
/// stock codec tells only of whole heads.
///
/// If Netty refuses a head, it does not create its stream. Later frames of that stream would end the connection, as those of an idle stream.
/// Source: RFC 9113 sections 4.1, 5.1, 5.1.2, 6.2, 6.10 and 8.1.1.
public final class StreamCodec extends Http2FrameCodecBuilder {

    private final Consumer<Boolean> receiving;

    /// @param receiving gets true if a head has arrived in part
    public StreamCodec(Consumer<Boolean> receiving) {
        this.receiving = receiving;
    }

    @Override
    protected Http2FrameCodec build(Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder,
            Http2Settings settings) {
        return super.build(new DecoratingHttp2ConnectionDecoder(decoder) {
            private boolean isReceiving;

            @Override
            public void decodeFrame(ChannelHandlerContext here, ByteBuf bytes, List<Object> decoded)
                    throws Http2Exception {
                int begin = bytes.readerIndex();
                int end = bytes.writerIndex();
                if (end - begin < Http2CodecUtil.FRAME_HEADER_LENGTH) {
                    return;
                }
                int length = bytes.getUnsignedMedium(begin);
                int type = bytes.getByte(begin + 3);
                int frameEnd = begin + Http2CodecUtil.FRAME_HEADER_LENGTH + length;
                isReceiving |= type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION;
                isReceiving &= frameEnd > end || (bytes.getByte(begin + 4) & Http2Flags.END_HEADERS) == 0;
                try {
                    // A frame is decoded once it is whole. One that is too long is refused by its header.
                    if (frameEnd <= end || length > Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE) {
                        bytes.writerIndex(Math.min(frameEnd, end));
                        super.decodeFrame(here, bytes, decoded);
                    }
                } catch (StreamException e) {
                    create(connection().remote(), e);
                    throw e;
                } finally {
                    bytes.writerIndex(end);
                    receiving.accept(isReceiving);
                }
            }
        }, encoder, settings);
    }

    /// Creates the stream of a refused head, which the codec then resets.
    private static void create(Http2Connection.Endpoint<?> client, StreamException refused) throws Http2Exception {
        // Netty itself creates a stream for the response to a head that is too long.
        boolean isCreated = refused.streamId() <= client.lastStreamCreated()
                || (refused instanceof HeaderListSizeException && client.canOpenStream());
        if (!isCreated && client.isValidStreamId(refused.streamId())) {
            int most = client.maxActiveStreams();
            client.maxActiveStreams(Integer.MAX_VALUE);
            var _ = client.createStream(refused.streamId(), true);
            client.maxActiveStreams(most);
        }
    }
}
