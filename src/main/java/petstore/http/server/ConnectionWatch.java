package petstore.http.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.NetUtil;
import petstore.Failure;
import petstore.http.message.Errors;
import petstore.http.message.HeaderFields;
import petstore.http.message.Response;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;

/// Closes a connection whose client is too slow. It sees the input before it is decoded. Confined to the connection's event loop.
///
/// A connection is idle, or receives a header block, or has exchanges. Each state has a deadline from its beginning, so that neither
/// silence nor single bytes keep a connection open. If memory is short, incomplete requests are refused.
final class ConnectionWatch extends ChannelInboundHandlerAdapter {

    private static final Response LATE = Errors.response(Failure.unavailable("the service could not answer in time"));
    private static final Response NO_MEMORY = Errors
            .response(Failure.unavailable("the service is overloaded; try again later"));
    private static final String SHORT_MEMORY = "memory is short";
    /// The time to read a response while memory is short.
    private static final Duration READ_TIME_WHEN_SHORT = Duration.ofMillis(250);

    private final Channel channel;
    private final Optional<InetAddress> peer;
    private final TrustedProxies proxies;
    private final boolean fromProxy;
    private final String client;
    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final ConnectionLimit.DisplacementOrder<ConnectionWatch> order;
    private final ConnectionCloser closer;
    private boolean multiplexed;
    /// Exchanges that are not done, the oldest first.
    private final Deque<Exchange> exchanges = new ArrayDeque<>(2);
    /// True if no bytes have arrived since the last exchange. A new connection is not idle.
    private boolean idle;
    /// The time when [#idle] last changed.
    private long sinceNanos = System.nanoTime();
    private boolean inputEnded;
    /// True if bytes have arrived since [#hasInput] looked for them.
    private boolean arrived;
    /// True while this connection counts as active.
    private boolean active;

    ConnectionWatch(Channel channel, Deadlines deadlines, ConnectionLimit limit, TrustedProxies proxies,
            ConnectionLimit.DisplacementOrder<ConnectionWatch> order) {
        this.channel = channel;
        this.peer = channel.remoteAddress() instanceof InetSocketAddress address
                ? Optional.ofNullable(address.getAddress())
                : Optional.empty();
        this.proxies = proxies;
        this.fromProxy = peer.isPresent() && proxies.trust(peer.get());
        this.client = peer.map(NetUtil::toAddressString).orElse("-");
        this.closer = new ConnectionCloser(channel);
        this.deadlines = deadlines;
        this.limit = limit;
        this.order = order;
    }

    /// Returns the address of the client of a request, e.g. `192.0.2.7`.
    String client(HeaderFields headers) {
        return fromProxy ? NetUtil.toAddressString(proxies.client(peer.orElseThrow(), headers)) : client;
    }

    ConnectionCloser closer() {
        return closer;
    }

    /// Records that Vert.x handles the connection.
    void opened(ChannelHandlerContext vertx) {
        multiplexed = vertx.handler() instanceof Http2ConnectionHandler;
        closer.opened(vertx);
    }

    /// Adds an exchange, whose header block is complete.
    void began(Exchange exchange) {
        exchanges.add(exchange);
        order.remove(this);
        setActive(true);
    }

    private void setActive(boolean now) {
        if (active != now) {
            active = now;
            limit.active().add(now ? 1 : -1);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        arrived = true;
        // With HTTP/2, frames between requests may concern only the connection.
        boolean begins = idle && !multiplexed;
        if (begins) {
            idle = false;
        }
        context.fireChannelRead(bytes);
        // Usually a whole header block has arrived, and its exchange has its own deadline.
        if (begins && exchanges.isEmpty() && !idle) {
            sinceNanos = System.nanoTime();
            spare();
        }
        if ((isReceiving() || (multiplexed && exchanges.size() > 1)) && limit.isShort()) {
            shed();
        }
    }

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
                    exchange.endsBecause(SHORT_MEMORY);
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
            closeIfInputEnded();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    /// Records that the body of a request is complete, or its response is sent.
    void advanced(Exchange exchange) {
        if (exchange.isDone() && exchanges.remove(exchange) && exchanges.isEmpty()) {
            idle = true;
            setActive(false);
            sinceNanos = System.nanoTime();
            if (channel.isOpen()) {
                order.becameIdle(this, sinceNanos);
            }
        }
        closeIfInputEnded();
    }

    private void closeIfInputEnded() {
        if (inputEnded && !isAnswering()) {
            closer.closeGracefully();
        }
    }

    private boolean isAnswering() {
        return exchanges.stream().anyMatch(exchange -> exchange.isWorking() || exchange.isSending());
    }

    /// Ends overdue exchanges: with a 503 if the API is late, else by closing the connection.
    ///
    /// @param now by [System#nanoTime]
    /// @param memoryIsShort true if the connection of a client that does not read its response is closed
    void sweep(long now, boolean memoryIsShort) {
        closeIfInputEnded();
        if (memoryIsShort && exchanges.stream()
                .anyMatch(exchange -> exchange.isSending() && exchange.isOlder(READ_TIME_WHEN_SHORT, now))) {
            abortForMemory();
        } else if (!exchanges.isEmpty()) {
            // With HTTP/1.1 the other exchanges wait for the oldest.
            List.copyOf(exchanges).stream().limit(multiplexed ? exchanges.size() : 1)
                    .filter(exchange -> exchange.isOlder(deadlines.request(), now)).forEach(this::expire);
        } else if (closer.isLate(now)
                || now - sinceNanos > (idle ? deadlines.idle() : deadlines.header()).toNanos()) {
            closer.closeGracefully();
        }
    }

    private void expire(Exchange overdue) {
        if (overdue.isWorking()) {
            overdue.send(LATE);
            return;
        }
        exchanges.stream().filter(exchange -> exchange == overdue || !multiplexed)
                .forEach(exchange -> exchange.endsBecause("not complete within --request-timeout"));
        if (multiplexed) {
            overdue.closeNow();
        } else if (overdue.isSending()) {
            closer.abort();
        } else {
            closer.closeGracefully();
        }
    }

    /// Returns the number of bytes of responses that the client has not read. They are off-heap.
    long unreadBytes() {
        ChannelOutboundBuffer unread = channel.unsafe().outboundBuffer();
        return unread == null ? 0 : unread.totalPendingWriteBytes();
    }

    /// Closes the connection to free the memory of unread responses.
    void abortForMemory() {
        limit.refused().increment();
        exchanges.forEach(exchange -> exchange.endsBecause(SHORT_MEMORY));
        closer.abort();
    }

    /// Returns true if a part of a request may have arrived, also if it is still in the operating system. Reads it.
    boolean hasInput() {
        arrived = !channel.config().isAutoRead();
        if (!arrived) {
            ((AbstractNioChannel.NioUnsafe) channel.unsafe()).read();
        }
        return arrived;
    }

    /// Gives the client a second to send the rest of a head.
    void spare() {
        if (exchanges.isEmpty() && channel.isOpen()) {
            order.becameHeadless(this, System.nanoTime());
        }
    }

    void closed() {
        order.remove(this);
        exchanges.forEach(Exchange::closed);
        setActive(false);
    }
}
