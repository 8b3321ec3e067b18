package petstore.http.server;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;

/// The open connections of one event loop. Confined to that event loop.
final class Connections {

    private static final long LONGEST_SWEEP_MS = 250;

    /// A connection becomes unwritable at the second number of unread bytes, and writable again below the first.
    private static final WriteBufferWaterMark WRITES = new WriteBufferWaterMark(16 * 1024, 32 * 1024);
    /// Reads are small: a pipelined request takes many times the memory of its bytes.
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(64, 2 * 1024, 8 * 1024)
            .maxMessagesPerRead(1);

    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final TrustedProxies proxies;
    private final long mostUnreadBytes;
    private final Set<ConnectionWatch> watches = new HashSet<>();
    private final FlushConsolidator flushes = new FlushConsolidator();
    private final BooleanSupplier stopping;

    /// @param mostUnreadBytes the maximum number of unread bytes of responses, which are off-heap
    /// @param stopping returns true if each response must be the last of its connection
    Connections(Deadlines deadlines, ConnectionLimit limit, TrustedProxies proxies, long mostUnreadBytes,
            BooleanSupplier stopping) {
        this.deadlines = deadlines;
        this.limit = limit;
        this.proxies = proxies;
        this.mostUnreadBytes = mostUnreadBytes;
        this.stopping = stopping;
    }

    /// Adds a new connection, before its first handler. If the limit is reached, closes it.
    void accepted(Channel channel) {
        ConnectionWatch watch = new ConnectionWatch(channel, deadlines, limit, proxies);
        channel.closeFuture().addListener(_ -> closed(watch));
        if (!limit.enter()) {
            watch.closer().closeGracefully();
            return;
        }
        watches.add(watch);
        channel.pipeline().addFirst(flushes, watch);
        ChannelConfig config = channel.config();
        // A client may close its side and still wait for the response.
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        config.setRecvByteBufAllocator(READS);
        config.setWriteBufferWaterMark(WRITES);
    }

    private void closed(ConnectionWatch watch) {
        limit.leave();
        watches.remove(watch);
        watch.closed();
    }

    /// Records that a connection can carry requests.
    void opened(ChannelHandlerContext vertx) {
        ConnectionWatch watch = vertx.pipeline().get(ConnectionWatch.class);
        if (watch != null) {
            watch.opened(vertx);
        }
    }

    /// Adds an exchange, whose header block is complete. Returns its connection; null if that is closed.
    @Nullable
    ConnectionWatch began(Exchange exchange) {
        Channel channel = ((HttpServerConnection) exchange.request().connection()).channelHandlerContext().channel();
        ConnectionWatch watch = channel.isOpen() ? channel.pipeline().get(ConnectionWatch.class) : null;
        if (watch != null) {
            watch.began(exchange);
        }
        return watch;
    }

    /// Returns true if each response must be the last of its connection.
    boolean isStopping() {
        return stopping.getAsBoolean();
    }

    long sweepIntervalMs() {
        Duration shortest = Collections.min(List.of(deadlines.idle(), deadlines.header(), deadlines.request()));
        return Math.clamp(shortest.toMillis() / 4, 1, LONGEST_SWEEP_MS);
    }

    /// Closes connections that are overdue, or whose unread responses take too much memory.
    void sweep() {
        long now = System.nanoTime();
        boolean memoryIsShort = limit.isShort();
        List.copyOf(watches).forEach(watch -> watch.sweep(now, memoryIsShort));
        shedUnread();
    }

    /// If unread responses take too much memory, closes connections with the most unread bytes until half of the allowed is left.
    private void shedUnread() {
        long unread = watches.stream().mapToLong(ConnectionWatch::unreadBytes).sum();
        if (unread <= mostUnreadBytes) {
            return;
        }
        for (ConnectionWatch watch : watches.stream()
                .sorted(Comparator.comparingLong(ConnectionWatch::unreadBytes).reversed()).toList()) {
            if (unread <= mostUnreadBytes / 2) {
                break;
            }
            unread -= watch.unreadBytes();
            watch.abortForMemory();
        }
    }
}
