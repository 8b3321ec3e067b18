package petstore.http.server.tls;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;

/// Reports every connection of another context before its handshake, on the connection's event loop.
final class WatchedSslContext extends DelegatingSslContext {

    private final Consumer<Channel> accepted;

    WatchedSslContext(SslContext context, Consumer<Channel> accepted) {
        super(context);
        this.accepted = accepted;
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator allocator, String host, int port, boolean startTls,
            Executor tasks) {
        return handler(newEngine(allocator, host, port), startTls, tasks);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls, Executor tasks) {
        return handler(newEngine(allocator), startTls, tasks);
    }

    private SslHandler handler(SSLEngine engine, boolean startTls, Executor tasks) {
        return new SslHandler(engine, startTls, tasks) {
            @Override
            public void handlerAdded(ChannelHandlerContext added) throws Exception {
                super.handlerAdded(added);
                accepted.accept(added.channel());
            }
        };
    }

    @Override
    protected void initEngine(SSLEngine engine) {
        // The other context does it.
    }
}
