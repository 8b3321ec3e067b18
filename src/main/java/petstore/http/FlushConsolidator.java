package petstore.http;

import java.util.ArrayList;
import java.util.List;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/// Hands to the system what all connections of an event loop have to send at the end of the loop's turn, one after the other: a
/// client that each answer would wake finds several. Confined to that event loop.
@ChannelHandler.Sharable
final class FlushConsolidator extends ChannelOutboundHandlerAdapter {

    private final List<ChannelHandlerContext> waiting = new ArrayList<>();

    @Override
    public void flush(ChannelHandlerContext connection) {
        if (waiting.isEmpty()) {
            connection.executor().execute(this::flushAll);
        }
        waiting.add(connection);
    }

    /// Sends before it closes.
    @Override
    public void close(ChannelHandlerContext connection, ChannelPromise done) {
        connection.flush();
        var _ = connection.close(done);
    }

    /// What has been sent may lead to more, which is for the next turn.
    private void flushAll() {
        List<ChannelHandlerContext> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(ChannelHandlerContext::flush);
    }
}
