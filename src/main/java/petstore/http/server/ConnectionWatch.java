package petstore.http.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.http.message.Errors;
import petstore.http.message.Response;
import petstore.http.server.ServerSettings.Deadlines;

/// Closes an open connection whose client is too slow. It sees the input before it is decoded. Confined to the connection's event
/// loop.
///
/// A connection is idle, or a part of the next header block has come, or it has exchanges that are not done. Each of these has a
/// deadline from its beginning, so that neither silence nor dripping keeps a connection open. If memory is short, incomplete requests
/// are refused.
final class ConnectionWatch extends ChannelInboundHandlerAdapter {

    private static final Response LATE = Errors.response(Failure.unavailable("the service could not answer in time"));
    private static final Response NO_MEMORY = Errors
            .response(Failure.unavailable("too much is being sent; try again later"));
    /// How long a client may take to read a response while memory is short.
    private static final Duration PATIENCE_WHEN_SHORT = Duration.ofMillis(250);

    private final Channel channel;
    private final String client;
    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final ConnectionCloser closer;
    /// The handler of Vert.x; null until Vert.x knows the connection.
    private @Nullable ChannelHandlerContext handler;
    /// True if the connection carries many requests at once (HTTP/2).
    private boolean multiplexed;
    /// Exchanges that are not done, the oldest first.
    private final Deque<Exchange> exchanges = new ArrayDeque<>(2);
    /// True if nothing has come since the last exchange was done. A new connection is not idle.
    private boolean idle;
    /// The time when [#idle] last changed.
    private long sinceNanos = System.nanoTime();
    /// True if the client has closed its side.
    private boolean inputEnded;

    ConnectionWatch(Channel channel, Deadlines deadlines, ConnectionLimit limit) {
        this.channel = channel;
        this.client = channel.remoteAddress() instanceof InetSocketAddress address && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : "-";
        this.closer = new ConnectionCloser(channel);
        this.deadlines = deadlines;
        this.limit = limit;
    }

    /// Returns the address of the client, e.g. `192.0.2.7`.
    String client() {
        return client;
    }

    ConnectionCloser closer() {
        return closer;
    }

    /// Vert.x handles the connection from now on.
    ///
    /// @param http2 true if the connection carries many requests at once
    void opened(ChannelHandlerContext vertx, boolean http2) {
        handler = vertx;
        multiplexed = http2;
        closer.opened(vertx, http2);
    }

    /// The header block of a request is complete.
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

    /// Returns true if a part of a request has come.
    private boolean isReceiving() {
        return exchanges.isEmpty() ? !idle : !isAnswering();
    }

    /// Refuses incomplete requests. With HTTP/2, also resets all streams with an unread response but the oldest.
    private void shed() {
        if (exchanges.isEmpty()) {
            limit.refused().increment();
            closer.closeGracefully();
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

    /// Makes Netty look at all streams of HTTP/2. It may miss that the connection was full and is writable again while it wakes the
    /// streams one by one, and the rest would wait for ever. Setting the window to its own value does nothing else.
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Http2Exception {
        context.fireChannelWritabilityChanged();
        if (channel.isWritable() && handler != null && handler.handler() instanceof Http2ConnectionHandler http2) {
            Http2RemoteFlowController streams = http2.encoder().flowController();
            streams.initialWindowSize(streams.initialWindowSize());
        }
    }

    /// The body of a request is complete, or its response is sent.
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
            closer.closeGracefully();
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

    /// Ends overdue exchanges: with a 503 if the API is late, else by closing the connection.
    ///
    /// @param now by [System#nanoTime]
    /// @param memoryIsShort true if the connection of a client that does not read its response is closed
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
                closer.closeGracefully();
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
            closer.abort();
        } else {
            closer.closeGracefully();
        }
    }

    /// Returns how many bytes of responses the client has not read; they are kept beside the heap.
    long unreadBytes() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    /// Closes the connection to free the memory of what its client does not read.
    void abortForMemory() {
        limit.refused().increment();
        closer.abortForMemory();
    }

    /// Records that the connection is closed.
    void closed() {
        exchanges.forEach(Exchange::closed);
    }
}
