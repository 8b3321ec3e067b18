package petstore.http.server;

import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2PingFrame;

/// Ends a connection of HTTP/2 in two steps; the stock codec sends one GOAWAY. It gets all frames of the connection.
///
/// The first GOAWAY asks the client for no more streams. The second names the last stream, once earlier ones have arrived.
/// Source: RFC 9113 section 6.8.
final class StreamsShutdown extends SimpleChannelInboundHandler<Object> {

    private static final long LONGEST_ROUND_TRIP_S = 1;
    private static final long PING = 0x70_65_74_73_74_6f_72_65L;

    private final Connection connection;
    private final Channel channel;
    private boolean isNamed;

    StreamsShutdown(Connection connection, Channel channel) {
        this.connection = connection;
        this.channel = channel;
    }

    /// Asks the client for no more streams, which are still served. The codec sends this GOAWAY only once.
    void announce() {
        var _ = channel.writeAndFlush(
                new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR).setExtraStreamIds(Integer.MAX_VALUE));
    }

    /// Names the last stream after a round trip. To be called once.
    void begin() {
        announce();
        var _ = channel.writeAndFlush(new DefaultHttp2PingFrame(PING));
        var _ = channel.eventLoop().schedule(this::nameLastStream, LONGEST_ROUND_TRIP_S, TimeUnit.SECONDS);
    }

    private void nameLastStream() {
        if (!isNamed && channel.isActive()) {
            isNamed = true;
            var _ = channel.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
            connection.closeAfterExchanges();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext from, Object frame) {
        if (frame instanceof Http2PingFrame ping && ping.ack() && ping.content() == PING) {
            nameLastStream();
        }
    }

    /// The codec itself closes the connection after invalid frames.
    @Override
    public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
        if (!(cause instanceof Http2Exception)) {
            connection.closer().close();
        }
    }
}
