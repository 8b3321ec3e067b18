package petstore.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;

/// The open connections of one event loop, which closes those whose client is too slow. Confined to that event loop.
///
/// Each connection is in one of three phases, each with a deadline that runs from its beginning, however much the client sends
/// meanwhile: so neither silence nor dripping keeps a connection. [#sweep], called often, ends what is overdue.
final class Connections {

    private enum Phase {
        /// Nothing of the next request has come.
        IDLE,
        /// Bytes of a request have come, or the connection is new; its header block is not complete.
        HEADER,
        /// The header block is complete; the body or the answer is not.
        REQUEST
    }

    /// One connection. It looks at what comes in before anything decodes it.
    private static final class Watch extends ChannelInboundHandlerAdapter {
        private final HttpConnection connection;
        private Phase phase = Phase.HEADER;
        private long sinceNanos = System.nanoTime();
        private @Nullable Object unsent;
        private long unsentSinceNanos;

        Watch(HttpConnection connection) {
            this.connection = connection;
        }

        void enter(Phase next) {
            phase = next;
            sinceNanos = System.nanoTime();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            if (phase == Phase.IDLE) {
                enter(Phase.HEADER);
            }
            context.fireChannelRead(bytes);
        }
    }

    private final HttpSettings.Deadlines deadlines;
    private final int most;
    private final AtomicInteger open;
    private final Map<HttpConnection, Watch> watches = new HashMap<>();

    /// @param most the most connections, of all event loops together
    /// @param open how many there are, shared by all event loops
    Connections(HttpSettings.Deadlines deadlines, int most, AtomicInteger open) {
        this.deadlines = deadlines;
        this.most = most;
        this.open = open;
    }

    /// Takes a connection that was just made, or closes it when there are too many.
    void opened(HttpConnection connection) {
        connection.closeHandler(_ -> {
            open.decrementAndGet();
            watches.remove(connection);
        });
        if (open.incrementAndGet() > most) {
            connection.close();
            return;
        }
        Watch watch = new Watch(connection);
        watches.put(connection, watch);
        ((HttpServerConnection) connection).channelHandlerContext().pipeline().addFirst(watch);
    }

    /// The header block of a request has come.
    void requestBegan(HttpConnection connection) {
        enter(connection, Phase.REQUEST);
    }

    /// The body of a request has come, and its answer is on its way.
    void requestEnded(HttpConnection connection) {
        enter(connection, Phase.IDLE);
    }

    private void enter(HttpConnection connection, Phase phase) {
        Watch watch = watches.get(connection);
        if (watch != null) {
            watch.enter(phase);
        }
    }

    /// Closes every connection that is overdue.
    void sweep() {
        long now = System.nanoTime();
        for (Watch watch : List.copyOf(watches.values())) {
            Duration deadline = switch (watch.phase) {
                case IDLE -> deadlines.idle();
                case HEADER -> deadlines.header();
                case REQUEST -> deadlines.request();
            };
            if (now - watch.sinceNanos > deadline.toNanos() || isStuck(watch, now)) {
                watch.connection.close();
            }
        }
    }

    /// Whether the client has not taken one and the same piece of an answer for too long.
    @SuppressWarnings("ReferenceEquality") // The same piece is meant, not an equal one.
    private boolean isStuck(Watch watch, long now) {
        ChannelOutboundBuffer buffer = ((HttpServerConnection) watch.connection).channelHandlerContext().channel()
                .unsafe().outboundBuffer();
        Object unsent = buffer == null ? null : buffer.current();
        if (unsent == null || unsent != watch.unsent) {
            watch.unsent = unsent;
            watch.unsentSinceNanos = now;
            return false;
        }
        return now - watch.unsentSinceNanos > deadlines.request().toNanos();
    }
}
