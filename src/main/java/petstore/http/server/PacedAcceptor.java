package petstore.http.server;

import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Accepts one connection at a time, the next one when the last is on its event loop. The rest wait in the system's bounded queue.
///
/// Netty accepts all of them at once, before `ConnectionLimit` can refuse any. So a burst of clients would exhaust a small heap
/// (`OverloadIT.keepsServingWhenUnfinishedRequestsExceedHeap`). The listening socket must not read by itself.
final class PacedAcceptor extends ChannelInboundHandlerAdapter {

    private static final long AFTER_FAILURE_MS = 100;

    @Override
    public void channelActive(ChannelHandlerContext listening) {
        listening.fireChannelActive();
        listening.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext listening, Object accepted) {
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

    private static void next(ChannelHandlerContext listening) {
        if (listening.channel().isOpen()) {
            listening.read();
        }
    }
}
