package petstore.http.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;

/// A listening socket that accepts connections no faster than event loops register them. The rest wait in the system's bounded queue.
///
/// Netty accepts all of them at once, before `ConnectionLimit` can refuse any. So a burst of clients would exhaust a small heap
/// (`OverloadIT.keepsServingWhenUnfinishedRequestsExceedHeap`).
final class ThrottledAcceptor extends NioServerSocketChannel {

    private static final Duration SHORTEST_PAUSE = Duration.ofNanos(50_000);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(2);

    /// The last accepted connection.
    private @Nullable Channel last;
    private long pauseNs = SHORTEST_PAUSE.toNanos();

    /// Hands a connection over once it has its event loop, before Vert.x adds a handler: with TLS, before the handshake.
    private final ChannelInitializer<Channel> handOver;

    private ThrottledAcceptor(Consumer<Channel> accepted) {
        handOver = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel connection) {
                accepted.accept(connection);
            }
        };
    }

    /// Returns a transport with Java's sockets, in which this class listens.
    ///
    /// @param listening gets the listening sockets
    /// @param accepted returns the consumer of a new listening socket's connections, which it gets on their event loops
    static Transport transport(ChannelGroup listening, Supplier<Consumer<Channel>> accepted) {
        return new TransportInternal("throttled", true, null, new NioTransport() {
            @Override
            public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
                return domainSocket ? super.serverChannelFactory(true) : () -> {
                    ThrottledAcceptor acceptor = new ThrottledAcceptor(accepted.get());
                    listening.add(acceptor);
                    return acceptor;
                };
            }
        });
    }

    /// Accepts a connection.
    ///
    /// @param accepted the connections since the last were handed over
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        if (accepted.isEmpty() && last != null && last.isOpen() && !last.isRegistered()) {
            LockSupport.parkNanos(pauseNs);
            pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE.toNanos());
            return 0;
        }
        pauseNs = SHORTEST_PAUSE.toNanos();
        int more = super.doReadMessages(accepted);
        if (more > 0) {
            last = (Channel) accepted.getLast();
            last.pipeline().addLast(handOver);
        }
        return more;
    }
}
