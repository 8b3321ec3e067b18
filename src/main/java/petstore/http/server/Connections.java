package petstore.http.server;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
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
    private final Map<EventLoop, Connections> shares;
    private final ConnectionLimit.DisplacementOrder<ConnectionWatch> order = new ConnectionLimit.DisplacementOrder<>();

    /// @param mostUnreadBytes the maximum number of unread bytes of responses, which are off-heap
    /// @param stopping returns true if each response must be the last of its connection
    /// @param shares the connections of each event loop of the listener
    Connections(Deadlines deadlines, ConnectionLimit limit, TrustedProxies proxies, long mostUnreadBytes,
            BooleanSupplier stopping, Map<EventLoop, Connections> shares) {
        this.deadlines = deadlines;
        this.limit = limit;
        this.proxies = proxies;
        this.mostUnreadBytes = mostUnreadBytes;
        this.stopping = stopping;
        this.shares = shares;
    }

    /// Makes this the share of an event loop, which has called it.
    void joined(EventLoop loop) {
        shares.put(loop, this);
    }

    /// Adds a new connection, before its first handler. At the limit it displaces another one, or is closed.
    void accepted(Channel channel) {
        ConnectionWatch watch = new ConnectionWatch(channel, deadlines, limit, proxies, order);
        channel.closeFuture().addListener(_ -> closed(watch));
        limit.enter();
        if (limit.isShort()) {
            refuse(watch);
            return;
        }
        watches.add(watch);
        order.becameHeadless(watch, System.nanoTime());
        channel.pipeline().addFirst(flushes, watch);
        ChannelConfig config = channel.config();
        // A client may close its side and still wait for the response.
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        config.setRecvByteBufAllocator(READS);
        config.setWriteBufferWaterMark(WRITES);
        if (limit.isExceeded()) {
            makeRoom(watch, channel, new HashSet<>());
        }
    }

    private void refuse(ConnectionWatch watch) {
        limit.refused().increment();
        watch.closer().closeGracefully();
    }

    /// Displaces a connection of the event loop whose first is the first of all, or of the next one. Until then, the new connection is
    /// not read. If no event loop has one, closes the new connection.
    ///
    /// @param asked the event loops that have none
    private void makeRoom(ConnectionWatch newest, Channel channel, Set<EventLoop> asked) {
        long now = System.nanoTime();
        Optional<EventLoop> next = shares.keySet().stream()
                .filter(loop -> !asked.contains(loop) && rank(loop, now) != ConnectionLimit.DisplacementOrder.NONE)
                .min(Comparator.comparingLong(loop -> rank(loop, now)));
        if (next.isEmpty()) {
            refuse(newest);
            return;
        }
        asked.add(next.get());
        channel.config().setAutoRead(false);
        var _ = CompletableFuture.supplyAsync(share(next.get())::displace, in(next.get()))
                .thenAcceptAsync(displaced -> {
                    if (displaced) {
                        channel.config().setAutoRead(true);
                    } else {
                        makeRoom(newest, channel, asked);
                    }
                }, in(channel.eventLoop()));
    }

    private Connections share(EventLoop loop) {
        return Objects.requireNonNull(shares.get(loop));
    }

    private long rank(EventLoop loop, long now) {
        return share(loop).order.rank(now);
    }

    private static Executor in(EventLoop loop) {
        return loop.inEventLoop() ? Runnable::run : loop;
    }

    /// Closes the first connection without input, unless one has been closed meanwhile. Returns false if there is none.
    private boolean displace() {
        while (limit.isExceeded()) {
            Optional<ConnectionWatch> first = order.first(System.nanoTime());
            if (first.isEmpty()) {
                return false;
            }
            order.remove(first.get());
            if (first.get().hasInput()) {
                first.get().spare();
            } else if (watches.contains(first.get())) {
                limit.displaced().increment();
                first.get().closer().closeGracefully();
                return true;
            }
        }
        return true;
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
