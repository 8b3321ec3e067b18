package petstore.http.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.vertx.core.http.HttpConnection;
import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.http.message.Errors;
import petstore.http.message.Response;

/// One open connection, which is closed when its client is too slow. It looks at what comes in before anything decodes it. Confined
/// to the connection's event loop.
///
/// A connection is idle, or some of the next header block has come, or it has exchanges that are not done. Each of these has a
/// deadline that runs from its beginning, however much the client sends or takes meanwhile: so neither silence nor dripping
/// keeps a connection. [#sweep], called often, ends what is overdue. When memory is short, what comes in parts is given up.
final class ConnectionWatch extends ChannelInboundHandlerAdapter {

    private static final Response LATE = Errors.response(Failure.unavailable("the service could not answer in time"));
    private static final Response NO_MEMORY = Errors
            .response(Failure.unavailable("too much is being sent; try again later"));
    /// How long a client may take for an answer while memory is short.
    private static final Duration PATIENCE_WHEN_SHORT = Duration.ofMillis(250);

    private final Channel channel;
    private final String client;
    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    /// What Vert.x handles it with, once it knows of it.
    private @Nullable ChannelHandlerContext handler;
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

    /// Returns the address of the client, e.g. `192.0.2.7`.
    String client() {
        return client;
    }

    ConnectionWatch(Channel channel, Deadlines deadlines, ConnectionLimit limit) {
        this.channel = channel;
        this.client = channel.remoteAddress() instanceof InetSocketAddress address && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : "-";
        this.deadlines = deadlines;
        this.limit = limit;
    }

    /// The connection can carry requests from now on.
    ///
    /// @param by what Vert.x handles it with
    /// @param many whether it carries many requests at once
    void opened(ChannelHandlerContext by, boolean many) {
        handler = by;
        multiplexed = many;
    }

    /// The header block of a request has come.
    void began(Exchange exchange) {
        exchanges.add(exchange);
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
        if ((isReceiving() || (multiplexed && exchanges.size() > 1)) && limit.isShort()) {
            shed();
        }
    }

    /// Whether something has come that is not whole yet.
    private boolean isReceiving() {
        return exchanges.isEmpty() ? !idle : !isAnswering();
    }

    /// Gives up what has come and is not whole yet, and with HTTP/2 all answers but the oldest that the client has not taken.
    private void shed() {
        if (exchanges.isEmpty()) {
            limit.refused().increment();
            closeGracefully();
            return;
        }
        Exchange oldest = exchanges.peekFirst();
        for (Exchange exchange : List.copyOf(exchanges)) {
            if (exchange.isSending()) {
                if (exchange != oldest) {
                    exchange.closeNow();
                }
            } else if (!exchange.isWorking()) {
                exchange.send(NO_MEMORY);
            }
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

    /// Netty may miss that there was no room for more and is again, before it has told all streams of HTTP/2 of the room before:
    /// those that it has not told would wait for ever. So it is asked to look at all of them. The window stays as it is.
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Http2Exception {
        context.fireChannelWritabilityChanged();
        if (channel.isWritable() && handler != null && handler.handler() instanceof Http2ConnectionHandler http2) {
            Http2RemoteFlowController streams = http2.encoder().flowController();
            streams.initialWindowSize(streams.initialWindowSize());
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
            closeGracefully();
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

    /// Ends what is overdue: with an answer when it is the service that is late, else by closing the connection.
    ///
    /// @param now by [System#nanoTime]
    /// @param memoryIsShort whether a client that does not take its answer at once is given up
    void sweep(long now, boolean memoryIsShort) {
        if (inputEnded) {
            closeUnlessAnswering();
        }
        if (memoryIsShort && exchanges.stream().anyMatch(
                exchange -> exchange.isSending() && now - exchange.beganNanos() > PATIENCE_WHEN_SHORT.toNanos())) {
            abortForMemory();
            return;
        }
        Exchange oldest = exchanges.peekFirst();
        if (oldest == null) {
            Duration deadline = idle ? deadlines.idle() : deadlines.header();
            if (now - sinceNanos > deadline.toNanos()) {
                closeGracefully();
            }
        } else if (multiplexed) {
            List.copyOf(exchanges).stream().filter(exchange -> isOverdue(exchange, now)).forEach(this::expire);
        } else if (isOverdue(oldest, now)) {
            expire(oldest);
        }
    }

    private boolean isOverdue(Exchange exchange, long now) {
        return now - exchange.beganNanos() > deadlines.request().toNanos();
    }

    private void expire(Exchange overdue) {
        if (overdue.isWorking()) {
            overdue.send(LATE);
            return;
        }
        if (multiplexed) {
            overdue.closeNow();
            return;
        }
        if (overdue.isSending()) {
            abort();
        } else {
            closeGracefully();
        }
    }

    /// How much of what it was sent the client has not taken: it waits beside the heap.
    long unreadBytes() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    /// Closes the connection, because there is no room for what its client does not take.
    void abortForMemory() {
        limit.refused().increment();
        closing = true;
        abort();
    }

    /// Closes at once. The system would go on offering to the client what it has not taken.
    private void abort() {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        closeGracefully();
    }

    /// Ends one stream of HTTP/2 and leaves the others. Vert.x itself would not, once it has handed over the whole answer, of which
    /// the client may take nothing.
    void resetStream(long stream) {
        ChannelHandlerContext vertx = handler;
        if (vertx != null && vertx.handler() instanceof Http2ConnectionHandler http2
                && http2.connection().stream(Math.toIntExact(stream)) != null) {
            var _ = http2.resetStream(vertx, Math.toIntExact(stream), Http2Error.CANCEL.code(), vertx.newPromise());
            vertx.flush();
        }
    }

    /// Closes at once, and leaves unsent what the system has not been given yet.
    void closeNow() {
        var _ = channel.pipeline().firstContext().close();
    }

    /// Closes once the system has been given what it takes at once, whereas [HttpConnection#close] waits until everything is sent.
    /// A client of HTTP/2 is told first, but has only until the next sweep to take that in.
    private void closeGracefully() {
        ChannelHandlerContext vertx = handler;
        if (closing) {
            closeNow();
        } else if (multiplexed || vertx == null) {
            closing = true;
            var _ = channel.close();
        } else {
            var _ = vertx.close();
        }
    }

    /// The connection has been closed.
    void closed() {
        exchanges.forEach(Exchange::closed);
    }
}
