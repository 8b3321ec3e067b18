package petstore.http.server.codec;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Exception.HeaderListSizeException;
import io.netty.handler.codec.http2.Http2Exception.StreamException;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Settings;

/// Builds the codec of HTTP/2 so that an error of a stream ends only that stream.
///
/// If Netty refuses a head, it does not create its stream. Later frames of that stream would end the connection, as those of an idle stream.
/// Source: RFC 9113 sections 5.1, 5.1.2 and 8.1.1.
public final class StreamCodec extends Http2FrameCodecBuilder {

    @Override
    protected Http2FrameCodec build(Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder,
            Http2Settings settings) {
        return super.build(new DecoratingHttp2ConnectionDecoder(decoder) {
            @Override
            public void decodeFrame(ChannelHandlerContext here, ByteBuf bytes, List<Object> decoded)
                    throws Http2Exception {
                try {
                    super.decodeFrame(here, bytes, decoded);
                } catch (StreamException e) {
                    create(connection().remote(), e);
                    throw e;
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
