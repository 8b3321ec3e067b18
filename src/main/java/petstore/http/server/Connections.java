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
import petstore.http.server.ServerSettings.Deadlines;

/// The open connections of one event loop. Confined to that event loop.
final class Connections {

    private static final long LONGEST_SWEEP_MS = 250;

    /// A connection is not writable from the second number of unread bytes on, and writable again below the first.
    private static final WriteBufferWaterMark WRITES = new WriteBufferWaterMark(16 * 1024, 32 * 1024);
    /// Reads are small: a pipelined request takes many times the memory of its bytes.
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(64, 2 * 1024, 8 * 1024)
            .maxMessagesPerRead(1);

    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final long mostUnreadBytes;
    /// All connections, also those that Vert.x does not know yet.
    private final Set<ConnectionWatch> all = new HashSet<>();
    private final IdentityHashMap<HttpConnection, ConnectionWatch> opened = new IdentityHashMap<>();
    private final FlushConsolidator flushes = new FlushConsolidator();
    private boolean stopping;

    /// @param mostUnreadBytes the most unread bytes of responses that are kept beside the heap
    Connections(Deadlines deadlines, ConnectionLimit limit, long mostUnreadBytes) {
        this.deadlines = deadlines;
        this.limit = limit;
        this.mostUnreadBytes = mostUnreadBytes;
    }

    /// Adds a new connection before its TLS handshake, or closes it if the limit is reached.
    void accepted(Channel channel) {
        ConnectionWatch watch = accept(channel);
        if (watch == null) {
            var _ = channel.close();
        }
    }

    /// Adds a connection that can carry requests, unless [#accepted] has added it, or closes it if the limit is reached.
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

    /// Returns the watch over a new connection; null if the limit is reached.
    private @Nullable ConnectionWatch accept(Channel channel) {
        ConnectionWatch watch = new ConnectionWatch(channel, deadlines, limit);
        channel.closeFuture().addListener(_ -> closed(watch));
        if (!limit.enter()) {
            return null;
        }
        all.add(watch);
        channel.pipeline().addFirst(flushes, watch);
        ChannelConfig config = channel.config();
        // A client may close its side and still wait for the response.
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

    /// The header block of a request is complete. Returns its connection; null if that is closed.
    @Nullable
    ConnectionWatch began(Exchange exchange) {
        ConnectionWatch watch = opened.get(exchange.request().connection());
        if (watch != null) {
            watch.began(exchange);
        }
        return watch;
    }

    /// Closes every connection behind its next response.
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /// Returns the interval in which [#sweep] has to be called.
    long sweepIntervalMs() {
        return Math.clamp(deadlines.shortest().toMillis() / 4, 1, LONGEST_SWEEP_MS);
    }

    /// Closes connections that are overdue, or whose unread responses take too much memory.
    void sweep() {
        long now = System.nanoTime();
        boolean memoryIsShort = limit.isShort();
        List.copyOf(all).forEach(watch -> watch.sweep(now, memoryIsShort));
        shedUnread();
    }

    /// If unread responses take more memory than allowed, closes connections with the most unread bytes until half of it is left.
    private void shedUnread() {
        long unread = all.stream().mapToLong(ConnectionWatch::unreadBytes).sum();
        if (unread <= mostUnreadBytes) {
            return;
        }
        for (ConnectionWatch watch : all.stream()
                .sorted(Comparator.comparingLong(ConnectionWatch::unreadBytes).reversed()).toList()) {
            if (unread <= mostUnreadBytes / 2) {
                break;
            }
            unread -= watch.unreadBytes();
            watch.abortForMemory();
        }
    }
}
