package petstore.http.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;

/// Takes connections no faster than event loops get round to them, a few at a time: the rest waits with the system, in a queue that
/// is bounded, and requests on open connections have their turn in between.
final class ThrottledAcceptor extends NioServerSocketChannel {

    private static final Duration SHORTEST_PAUSE = Duration.ofNanos(50_000);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(2);

    /// The last connection that was taken.
    private @Nullable Channel last;
    private long pauseNs = SHORTEST_PAUSE.toNanos();

    /// The sockets of Java with this one to listen on.
    ///
    /// @param listening gets those that are open
    static Transport transport(ChannelGroup listening) {
        return new TransportInternal("paced", true, null, new NioTransport() {
            @Override
            public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
                return domainSocket ? super.serverChannelFactory(true) : () -> {
                    ThrottledAcceptor acceptor = new ThrottledAcceptor();
                    listening.add(acceptor);
                    return acceptor;
                };
            }
        });
    }

    /// Is called for one connection after the other; `taken` are those since connections were handed over last.
    @Override
    protected int doReadMessages(List<Object> taken) throws Exception {
        if (taken.isEmpty() && last != null && last.isOpen() && !last.isRegistered()) {
            LockSupport.parkNanos(pauseNs);
            pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE.toNanos());
            return 0;
        }
        pauseNs = SHORTEST_PAUSE.toNanos();
        int more = super.doReadMessages(taken);
        if (more > 0) {
            last = (Channel) taken.getLast();
        }
        return more;
    }
}
