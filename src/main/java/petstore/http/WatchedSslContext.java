package petstore.http;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;

/// Another context that tells of every connection before its handshake begins, on the connection's event loop.
final class WatchedSslContext extends SslContext {

    private final SslContext context;
    private final Consumer<Channel> accepted;

    WatchedSslContext(SslContext context, Consumer<Channel> accepted) {
        this.context = context;
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
    public boolean isClient() {
        return context.isClient();
    }

    @Override
    public List<String> cipherSuites() {
        return context.cipherSuites();
    }

    @Override
    @SuppressWarnings("deprecation") // There is no other way to say what the other context does.
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return context.applicationProtocolNegotiator();
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator) {
        return context.newEngine(allocator);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
        return context.newEngine(allocator, host, port);
    }

    @Override
    public SSLSessionContext sessionContext() {
        return context.sessionContext();
    }
}
