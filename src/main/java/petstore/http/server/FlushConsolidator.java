package petstore.http.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.EventExecutor;

/// Hands to the system what all connections of an event loop have to send one after the other, at the end of a turn of the loop in
/// which no more have joined them: a client that each answer would wake finds several. Confined to that event loop.
@ChannelHandler.Sharable
final class FlushConsolidator extends ChannelOutboundHandlerAdapter {

    /// How many more turns it waits. A turn is as long as the work in it: microseconds, when there is little to do.
    private static final int MOST_TURNS = 4;

    private final List<ChannelHandlerContext> waiting = new ArrayList<>();

    @Override
    public void flush(ChannelHandlerContext connection) {
        if (waiting.isEmpty()) {
            connection.executor().execute(() -> endTurn(connection.executor(), 0, 0));
        }
        waiting.add(connection);
    }

    /// Sends before it closes.
    @Override
    public void close(ChannelHandlerContext connection, ChannelPromise done) {
        connection.flush();
        var _ = connection.close(done);
    }

    /// @param before how many waited at the end of the turn before
    /// @param turns how many turns the first has waited
    private void endTurn(EventExecutor loop, int before, int turns) {
        int now = waiting.size();
        if (now > before && turns < MOST_TURNS) {
            var _ = loop.schedule(() -> endTurn(loop, now, turns + 1), 0, TimeUnit.NANOSECONDS);
        } else {
            flushAll();
        }
    }

    /// What has been sent may lead to more, which is for the next turn.
    private void flushAll() {
        List<ChannelHandlerContext> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(ChannelHandlerContext::flush);
    }
}
