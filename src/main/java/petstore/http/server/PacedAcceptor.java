package petstore.http.server;

import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;

/// Accepts one connection at a time, the next one when the last is on its event loop. The rest wait in the system's bounded queue.
///
/// Netty accepts all of them at once, before `ConnectionLimit` can refuse any. So a burst of clients would exhaust a small heap
/// (`OverloadIT.keepsServingWhenUnfinishedRequestsExceedHeap`). The listening socket must not read by itself.
final class PacedAcceptor extends ChannelDuplexHandler {

    private static final long AFTER_FAILURE_MS = 100;
    private static final int MOST_LAST = 256;
    private static final int MOST_LAST_TURNS = 100;

    private boolean hasAccepted;

    @Override
    public void channelActive(ChannelHandlerContext listening) {
        listening.fireChannelActive();
        listening.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext listening, Object accepted) {
        hasAccepted = true;
        listening.fireChannelRead(accepted);
        // The event loop has registered the connection before it runs this.
        ((Channel) accepted).eventLoop().execute(() -> next(listening));
    }

    /// Tries again later, e.g. if the process has too many open files.
    @Override
    public void exceptionCaught(ChannelHandlerContext listening, Throwable cause) {
        // Netty would try again at once: a failed read stays pending until this option is switched off.
        listening.channel().config().setAutoRead(true);
        listening.channel().config().setAutoRead(false);
        var _ = listening.executor().schedule(() -> next(listening), AFTER_FAILURE_MS, TimeUnit.MILLISECONDS);
    }

    /// First accepts the connections that wait, because the system would reset them.
    @Override
    @SuppressWarnings("deprecation") // Netty has no other way to change it for an open channel.
    public void close(ChannelHandlerContext listening, ChannelPromise closed) {
        listening.channel().config().setOption(ChannelOption.MAX_MESSAGES_PER_READ, MOST_LAST);
        listening.channel().config().setAutoRead(true);
        closeOnceIdle(listening, closed, MOST_LAST_TURNS);
    }

    /// Closes after a turn of the event loop without a new connection.
    private void closeOnceIdle(ChannelHandlerContext listening, ChannelPromise closed, int turns) {
        hasAccepted = false;
        var _ = listening.executor().schedule(() -> {
            if (hasAccepted && turns > 1) {
                closeOnceIdle(listening, closed, turns - 1);
            } else {
                var _ = listening.close(closed);
            }
        }, 0, TimeUnit.NANOSECONDS);
    }

    private static void next(ChannelHandlerContext listening) {
        if (listening.channel().isOpen()) {
            listening.read();
        }
    }
}
