package petstore.http.server;

import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;

/// The open connections of one event loop, each of them watched. Confined to that event loop.
///
/// When there are too many, or memory is short, no more are taken.
final class Connections {

    private static final long LONGEST_SWEEP_MS = 250;

    /// How much may wait for a client to take it before nothing is added, and from what on there is again.
    private static final WriteBufferWaterMark WRITES = new WriteBufferWaterMark(16 * 1024, 32 * 1024);
    /// Little at once: requests that wait for the answers before them take many times the room of their bytes.
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(64, 2 * 1024, 8 * 1024)
            .maxMessagesPerRead(1);

    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final long mostUnreadBytes;
    /// All of them, those that Vert.x does not know of yet too.
    private final Set<ConnectionWatch> all = new HashSet<>();
    private final IdentityHashMap<HttpConnection, ConnectionWatch> opened = new IdentityHashMap<>();
    private final FlushConsolidator flushes = new FlushConsolidator();
    private boolean stopping;

    /// @param mostUnreadBytes how much may wait, beside the heap, for clients to take it
    Connections(Deadlines deadlines, ConnectionLimit limit, long mostUnreadBytes) {
        this.deadlines = deadlines;
        this.limit = limit;
        this.mostUnreadBytes = mostUnreadBytes;
    }

    /// Takes a connection that was just made, before its TLS handshake, or closes it when there is no room for it.
    void accepted(Channel channel) {
        ConnectionWatch watch = accept(channel);
        if (watch == null) {
            var _ = channel.close();
        }
    }

    /// Takes a connection that can carry requests from now on: one that was accepted before, or one without TLS.
    void opened(HttpConnection connection) {
        ChannelHandlerContext context = ((HttpServerConnection) connection).channelHandlerContext();
        ConnectionWatch watch = context.pipeline().get(ConnectionWatch.class);
        if (watch == null) {
            watch = accept(context.channel());
        }
        if (watch == null) {
            connection.close();
            return;
        }
        watch.opened(context, connection.protocolVersion() == HttpVersion.HTTP_2);
        opened.put(connection, watch);
        context.channel().closeFuture().addListener(_ -> opened.remove(connection));
    }

    /// The watch over a connection; absent when there are too many, or no memory for it.
    private @Nullable ConnectionWatch accept(Channel channel) {
        ConnectionWatch watch = new ConnectionWatch(channel, deadlines, limit);
        channel.closeFuture().addListener(_ -> closed(watch));
        if (!limit.enter()) {
            return null;
        }
        all.add(watch);
        channel.pipeline().addFirst(flushes, watch);
        ChannelConfig config = channel.config();
        // A client may end what it sends and still wait for the answer.
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        config.setRecvByteBufAllocator(READS);
        config.setWriteBufferWaterMark(WRITES);
        return watch;
    }

    private void closed(ConnectionWatch watch) {
        limit.leave();
        all.remove(watch);
        watch.closed();
    }

    /// The header block of a request has come, on a connection that is watched; absent when it is being closed.
    @Nullable
    ConnectionWatch began(Exchange exchange) {
        ConnectionWatch watch = opened.get(exchange.request().connection());
        if (watch != null) {
            watch.began(exchange);
        }
        return watch;
    }

    /// Makes every answer from now on the last one on its connection.
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /// How often [#sweep] has to be called.
    long sweepIntervalMs() {
        return Math.clamp(deadlines.shortest().toMillis() / 4, 1, LONGEST_SWEEP_MS);
    }

    /// Ends what is overdue on any of them, and what keeps more than there is room for.
    void sweep() {
        long now = System.nanoTime();
        boolean memoryIsShort = limit.isShort();
        List.copyOf(all).forEach(watch -> watch.sweep(now, memoryIsShort));
        shedUnread();
    }

    /// Closes connections whose clients do not take what is sent to them, those that keep the most first, until half of what may be
    /// kept is left.
    private void shedUnread() {
        long untaken = all.stream().mapToLong(ConnectionWatch::unreadBytes).sum();
        if (untaken <= mostUnreadBytes) {
            return;
        }
        for (ConnectionWatch watch : all.stream()
                .sorted(Comparator.comparingLong(ConnectionWatch::unreadBytes).reversed()).toList()) {
            if (untaken <= mostUnreadBytes / 2) {
                break;
            }
            untaken -= watch.unreadBytes();
            watch.abortForMemory();
        }
    }
}
