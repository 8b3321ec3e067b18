package petstore.http.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.EventExecutor;

/// Flushes the connections of an event loop together, so that a client wakes once for several responses; Netty's own handler flushes each
/// connection alone. Confined to that event loop.
///
/// It flushes at the end of a turn of the loop in which no further connection has requested a flush.
@ChannelHandler.Sharable
final class FlushConsolidator extends ChannelOutboundHandlerAdapter {

    /// The maximum number of turns of the loop that a flush waits. An idle loop's turn takes microseconds.
    private static final int MOST_TURNS = 4;

    private final List<ChannelHandlerContext> waiting = new ArrayList<>();

    @Override
    public void flush(ChannelHandlerContext connection) {
        if (waiting.isEmpty()) {
            connection.executor().execute(() -> endTurn(connection.executor(), 0, 0));
        }
        waiting.add(connection);
    }

    /// Flushes before the connection is closed.
    @Override
    public void close(ChannelHandlerContext connection, ChannelPromise done) {
        connection.flush();
        var _ = connection.close(done);
    }

    /// @param before the number of waiting connections at the end of the previous turn
    /// @param turns the number of turns that the first has waited
    private void endTurn(EventExecutor loop, int before, int turns) {
        int now = waiting.size();
        if (now > before && turns < MOST_TURNS) {
            var _ = loop.schedule(() -> endTurn(loop, now, turns + 1), 0, TimeUnit.NANOSECONDS);
        } else {
            // A flush may cause further flushes, which wait for the next turn.
            List<ChannelHandlerContext> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(ChannelHandlerContext::flush);
        }
    }
}
