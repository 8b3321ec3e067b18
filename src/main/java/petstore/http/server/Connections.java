package petstore.http.server;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.http.server.ServerSettings.Deadlines;

/// The open connections of one event loop. Confined to that event loop.
final class Connections {

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final long LONGEST_SWEEP_MS = 250;

    private final EventLoop loop;
    private final ListenerContext listener;
    private final ConnectionLimit limit;
    private final Collection<Connections> all;
    private final Set<Connection> open = new HashSet<>();
    private final DisplacementOrder order = new DisplacementOrder();
    private final FlushConsolidator flushes = new FlushConsolidator();

    /// @param all the connections of each event loop of the listener
    Connections(EventLoop loop, ListenerContext listener, Collection<Connections> all) {
        this.loop = loop;
        this.listener = listener;
        this.limit = listener.limit();
        this.all = all;
        Deadlines deadlines = listener.deadlines();
        Duration shortest = Collections.min(List.of(deadlines.idle(), deadlines.header(), deadlines.request()));
        long sweepMs = Math.clamp(shortest.toMillis() / 4, 1, LONGEST_SWEEP_MS);
        var _ = loop.scheduleWithFixedDelay(this::sweep, sweepMs, sweepMs, TimeUnit.MILLISECONDS);
    }

    FlushConsolidator flushes() {
        return flushes;
    }

    /// Adds a new connection. At the limit it displaces another one, or is closed.
    Connection add(Channel channel) {
        Connection connection = new Connection(channel, listener.deadlines(), limit, listener.proxies(), order);
        var _ = channel.closeFuture().addListener(_ -> closed(connection));
        limit.open().incrementAndGet();
        open.add(connection);
        if (limit.isShort()) {
            connection.refuse();
            return connection;
        }
        connection.awaitRequest(System.nanoTime());
        if (limit.isExceeded()) {
            // Until there is room, the new connection is not read.
            channel.config().setAutoRead(false);
            makeRoom(connection, channel, new HashSet<>());
        }
        return connection;
    }

    private void closed(Connection connection) {
        limit.open().decrementAndGet();
        open.remove(connection);
        connection.closed();
    }

    /// Displaces the oldest candidate of all event loops; if it is gone meanwhile, that of the next loop. If no event loop has one, closes
    /// the new connection.
    ///
    /// @param asked the event loops that have none
    private void makeRoom(Connection newest, Channel channel, Set<Connections> asked) {
        long now = System.nanoTime();
        Optional<Connections> next = all.stream().filter(
                other -> !asked.contains(other) && other.order.rank(now) != DisplacementOrder.NONE)
                .min(Comparator.comparingLong(other -> other.order.rank(now)));
        if (next.isEmpty()) {
            newest.refuse();
            return;
        }
        asked.add(next.get());
        CompletableFuture<Boolean> displaced = new CompletableFuture<>();
        next.get().loop.execute(() -> next.get().displace(displaced));
        var _ = displaced.thenAcceptAsync(done -> {
            if (done) {
                channel.config().setAutoRead(true);
            } else {
                makeRoom(newest, channel, asked);
            }
        }, loop);
    }

    /// Closes the first connection without input, unless there is room meanwhile.
    ///
    /// @param displaced gets false if there is none
    private void displace(CompletableFuture<Boolean> displaced) {
        Optional<Connection> first = order.first(System.nanoTime());
        if (!limit.isExceeded() || first.isEmpty()) {
            displaced.complete(!limit.isExceeded());
            return;
        }
        // By then, the event loop has read what the system has of its input. With a request, it is not the first any more.
        var _ = loop.schedule(() -> {
            if (limit.isExceeded() && order.first(System.nanoTime()).equals(first)) {
                order.remove(first.get());
                limit.displaced().increment();
                first.get().closer().close();
                // A client that does not read delays its close by a second at most. The new one need not wait for that.
                displaced.complete(true);
            } else {
                displace(displaced);
            }
        }, 0, TimeUnit.NANOSECONDS);
    }

    /// Asks clients for no more requests. For any thread.
    void announceStop() {
        loop.execute(() -> List.copyOf(open).forEach(Connection::announceStop));
    }

    /// Begins to end each accepted connection, which lasts until its requests are answered. For any thread.
    Future<?> shutDown() {
        return loop.submit(() -> List.copyOf(open).forEach(Connection::shutDown));
    }

    /// Closes connections that are overdue, or whose unread responses take memory that is short.
    private void sweep() {
        try {
            long now = System.nanoTime();
            List.copyOf(open).forEach(connection -> connection.sweep(now));
        } catch (Exception | Error e) {
            // An exception would end the repetition.
            LOG.error("connections could not be checked", e);
        }
    }
}
