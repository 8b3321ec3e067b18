package petstore.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;
import petstore.Failure;

/// The open connections of one event loop, which closes those whose client is too slow. Confined to that event loop.
///
/// A connection is idle, or some of the next header block has come, or it has exchanges that are not done. Each of these has a
/// deadline that runs from its beginning, however much the client sends or takes meanwhile: so neither silence nor dripping
/// keeps a connection. [#sweep], called often, ends what is overdue. When memory is short no connection is taken, and what comes
/// in parts is given up.
final class Connections {

    private static final Answer LATE = Errors.answer(Failure.unavailable("the service could not answer in time"));
    private static final Answer NO_MEMORY = Errors
            .answer(Failure.unavailable("too much is being sent; try again later"));

    private static final long LONGEST_SWEEP_MS = 250;

    /// Little at once: requests that wait for the answers before them take many times the room of their bytes.
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(64, 2 * 1024, 8 * 1024)
            .maxMessagesPerRead(1);

    /// One connection. It looks at what comes in before anything decodes it.
    final class Watch extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        /// What Vert.x handles it with, once it knows of it.
        private @Nullable ChannelHandlerContext handler;
        private @Nullable HttpConnection connection;
        /// Whether it carries many requests at once (HTTP/2).
        private boolean multiplexed;
        /// Whether the client has been told that it ends.
        private boolean closing;
        /// Those that are not done, the oldest first.
        private final Deque<Exchange> exchanges = new ArrayDeque<>(2);
        /// Whether nothing has come since the last one was done. A new connection is not idle.
        private boolean idle;
        /// When the connection became idle, or stopped being so.
        private long sinceNanos = System.nanoTime();
        /// Whether the client has said that nothing more comes.
        private boolean inputEnded;

        Watch(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            // With HTTP/2 what comes between requests may be about the connection alone.
            boolean begins = idle && !multiplexed;
            if (begins) {
                idle = false;
            }
            context.fireChannelRead(bytes);
            // Mostly a whole request has come, whose exchange knows when it began.
            if (begins && exchanges.isEmpty() && !idle) {
                sinceNanos = System.nanoTime();
            }
            if (isReceiving() && room.isShort()) {
                makeRoom();
            }
        }

        /// Whether something has come that is not whole yet.
        private boolean isReceiving() {
            return exchanges.isEmpty() ? !idle : !isAnswering();
        }

        /// Gives up what has come and is not whole yet.
        private void makeRoom() {
            if (exchanges.isEmpty()) {
                room.refused().increment();
                close();
            } else {
                List.copyOf(exchanges).forEach(exchange -> exchange.send(NO_MEMORY));
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                inputEnded = true;
                closeUnlessAnswering();
            } else {
                context.fireUserEventTriggered(event);
            }
        }

        /// The body of a request has come, or its answer has been sent.
        ///
        /// @param now by [System#nanoTime]
        void advanced(Exchange exchange, long now) {
            if (exchange.isDone() && exchanges.remove(exchange) && exchanges.isEmpty()) {
                idle = true;
                sinceNanos = now;
            }
            if (inputEnded) {
                closeUnlessAnswering();
            }
        }

        private void closeUnlessAnswering() {
            if (!isAnswering()) {
                close();
            }
        }

        private boolean isAnswering() {
            for (Exchange exchange : exchanges) {
                if (exchange.isWorking() || exchange.isSending()) {
                    return true;
                }
            }
            return false;
        }

        void sweep(long now) {
            Exchange oldest = exchanges.peekFirst();
            if (oldest == null) {
                Duration deadline = idle ? deadlines.idle() : deadlines.header();
                if (now - sinceNanos > deadline.toNanos()) {
                    close();
                }
            } else if (multiplexed) {
                List.copyOf(exchanges).stream().filter(exchange -> isOverdue(exchange, now)).forEach(this::end);
            } else if (isOverdue(oldest, now)) {
                end(oldest);
            }
        }

        private boolean isOverdue(Exchange exchange, long now) {
            return now - exchange.beganNanos() > deadlines.request().toNanos();
        }

        private void end(Exchange overdue) {
            if (overdue.isWorking()) {
                overdue.send(LATE);
                return;
            }
            if (multiplexed) {
                overdue.cut();
                return;
            }
            if (overdue.isSending()) {
                // The system would go on offering to the client what it has not taken.
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            close();
        }

        /// Closes at once, whereas [HttpConnection#close] waits until everything is sent. A client of HTTP/2 is told first, but
        /// has only until the next sweep to take that in.
        private void close() {
            ChannelHandlerContext vertx = handler;
            if (closing) {
                var _ = channel.pipeline().firstContext().close();
            } else if (multiplexed || vertx == null) {
                closing = true;
                var _ = channel.close();
            } else {
                var _ = vertx.close();
            }
        }

        private void closed() {
            room.leave();
            all.remove(this);
            if (connection != null) {
                watches.remove(connection);
            }
            exchanges.forEach(Exchange::closed);
        }
    }

    /// What the event loops of a listener share: room for connections.
    ///
    /// @param most the most connections, of all of them together
    /// @param open how many there are
    /// @param refused counts those that were too many, or for which there was no memory
    /// @param memoryIsShort whether no more may be kept in memory
    record Room(int most, AtomicInteger open, Counter refused, BooleanSupplier memoryIsShort) {

        /// Takes a place, which has to be left in any case; gives back whether there was one.
        private boolean enter() {
            if (open.incrementAndGet() > most || isShort()) {
                refused.increment();
                return false;
            }
            return true;
        }

        private void leave() {
            open.decrementAndGet();
        }

        private boolean isShort() {
            return memoryIsShort.getAsBoolean();
        }
    }

    private final HttpSettings.Deadlines deadlines;
    private final Room room;
    /// All of them, those that Vert.x does not know of yet too.
    private final Set<Watch> all = new HashSet<>();
    private final IdentityHashMap<HttpConnection, Watch> watches = new IdentityHashMap<>();
    private boolean stopping;

    Connections(HttpSettings.Deadlines deadlines, Room room) {
        this.deadlines = deadlines;
        this.room = room;
    }

    /// Takes a connection that was just made, before its TLS handshake, or closes it when there is no room for it.
    void accepted(Channel channel) {
        Watch watch = accept(channel);
        if (watch == null) {
            var _ = channel.close();
        }
    }

    /// Takes a connection that can carry requests from now on: one that was accepted before, or one without TLS.
    void opened(HttpConnection connection) {
        ChannelHandlerContext context = ((HttpServerConnection) connection).channelHandlerContext();
        Watch watch = context.pipeline().get(Watch.class);
        if (watch == null) {
            watch = accept(context.channel());
        }
        if (watch == null) {
            connection.close();
            return;
        }
        watch.handler = context;
        watch.connection = connection;
        watch.multiplexed = connection.protocolVersion() == HttpVersion.HTTP_2;
        watches.put(connection, watch);
    }

    /// The watch over a connection; absent when there are too many, or no memory for it.
    private @Nullable Watch accept(Channel channel) {
        Watch watch = new Watch(channel);
        channel.closeFuture().addListener(_ -> watch.closed());
        if (!room.enter()) {
            return null;
        }
        all.add(watch);
        channel.pipeline().addFirst(watch);
        ChannelConfig config = channel.config();
        // A client may end what it sends and still wait for the answer.
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        config.setRecvByteBufAllocator(READS);
        return watch;
    }

    /// The header block of a request has come, on a connection that is watched; absent when it is being closed.
    @Nullable
    Watch began(Exchange exchange) {
        Watch watch = watches.get(exchange.request().connection());
        if (watch != null) {
            watch.exchanges.add(exchange);
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

    /// Ends everything that is overdue: with an answer when it is the service that is late, else by closing the connection.
    void sweep() {
        long now = System.nanoTime();
        List.copyOf(all).forEach(watch -> watch.sweep(now));
    }
}
