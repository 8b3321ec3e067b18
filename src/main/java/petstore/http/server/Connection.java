package petstore.http.server;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.codec.ClientAddress;

/// A connection: its exchanges, its deadline, and its end. A stock handler knows only one of the three. The deadline counts from the
/// beginning of the connection, the end of the last exchange, or the beginning of a further head; the stock timeouts start again with each
/// byte.
///
/// It sees the input before TLS and the decoder. If memory is short, it refuses incomplete requests. Confined to its event loop.
final class Connection extends ChannelInboundHandlerAdapter {

    /// Several times the length of a ClientHello.
    private static final int MOST_HANDSHAKE_BYTES = 64 * 1024;
    /// The time in which a new connection may send its first request while the service stops.
    private static final Duration FIRST_REQUEST = Duration.ofSeconds(1);

    private final Channel channel;
    private final ClientAddress client;
    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final DisplacementOrder order;
    private final ConnectionCloser closer;
    /// The exchanges that have not ended, the oldest first. With HTTP/1.1, one at most.
    private final Deque<Exchange> exchanges = new ArrayDeque<>(2);
    private @Nullable StreamsShutdown streams;
    /// The end of the time for a head or, after an exchange, for the next request, by [System#nanoTime].
    private long deadlineNanos;
    /// True until the head of the first request is complete.
    private boolean isNew = true;
    /// True if a part of a head has arrived.
    private boolean isReceivingHead;
    private boolean isOpened;
    private int handshakeBytes;
    private boolean isStopping;
    /// True if no further exchange is expected.
    private boolean isEnding;

    Connection(Channel channel, Deadlines deadlines, ConnectionLimit limit, TrustedProxies proxies,
            DisplacementOrder order) {
        this.channel = channel;
        this.client = new ClientAddress(channel, proxies);
        this.deadlines = deadlines;
        this.limit = limit;
        this.order = order;
        this.closer = new ConnectionCloser(channel);
        setDeadline(deadlines.header());
    }

    ClientAddress client() {
        return client;
    }

    ConnectionCloser closer() {
        return closer;
    }

    /// Records that requests may arrive, with TLS after the handshake, and the streams of HTTP/2; null for HTTP/1.1.
    void opened(@Nullable StreamsShutdown ofHttp2) {
        isOpened = true;
        streams = ofHttp2;
        if (isStopping) {
            shutDown();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        handshakeBytes += isOpened ? 0 : ((ByteBuf) bytes).readableBytes();
        if (handshakeBytes > MOST_HANDSHAKE_BYTES) {
            // They wait for a thread off-heap.
            closer.closeNow();
        }
        if (closer.isClosing()) {
            ReferenceCountUtil.release(bytes);
            return;
        }
        isReceivingHead |= isOpened && isNew;
        boolean beganIdle = exchanges.isEmpty();
        context.fireChannelRead(bytes);
        // The bytes may have been the end of a request's body. With HTTP/2, frames between requests may concern only the connection.
        if (beganIdle && streams == null) {
            headBegan();
        }
        if (isRequestIncomplete() && limit.isShort()) {
            refuse();
        }
    }

    /// A client of HTTP/2 that does not read is not read either: each PING, e.g., adds a frame that waits for it.
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (streams != null) {
            channel.config().setAutoRead(channel.isWritable());
        }
        context.fireChannelWritabilityChanged();
    }

    /// Begins the deadline of a further head, unless the whole head has arrived.
    void headBegan() {
        if (exchanges.isEmpty() && !closer.isClosing()) {
            setReceivingHead(true);
        }
    }

    /// Records that a part of a further head has arrived, or that the head is complete or refused.
    void setReceivingHead(boolean now) {
        if (now != isReceivingHead && !isNew) {
            isReceivingHead = now;
            setDeadline(now ? deadlines.header() : deadlines.idle());
            awaitRequest(System.nanoTime());
        }
    }

    private void setDeadline(Duration time) {
        deadlineNanos = System.nanoTime() + time.toNanos();
    }

    /// Returns true before the first request, and from the first part of the head of a further one.
    private boolean isHeadDue() {
        return isNew || isReceivingHead;
    }

    private boolean isRequestIncomplete() {
        return exchanges.isEmpty() ? isHeadDue() : !isResponseDue();
    }

    private boolean isResponseDue() {
        return exchanges.stream().anyMatch(Exchange::isResponseDue);
    }

    /// Refuses the incomplete requests, or the connection if it has none, because of the limit or a lack of memory. No response is due.
    void refuse() {
        if (exchanges.isEmpty()) {
            limit.refused().increment();
            closer.close();
        }
        List.copyOf(exchanges).forEach(exchange -> exchange.send(Exchange.NO_MEMORY));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    /// The client has ended its output, of TCP or of TLS alone.
    void inputEnded() {
        closer.inputEnded();
        closeIfInputEnded();
    }

    /// Closes the connection of a client that has ended its output, unless a response of HTTP/1.1 is due.
    private void closeIfInputEnded() {
        if (closer.isInputEnded() && (streams != null || !isResponseDue()) && !closer.isClosing()) {
            closer.close();
        }
    }

    /// Adds an exchange that begins. While there is one, the connection is active, and no new connection displaces it.
    void add(Exchange exchange) {
        if (exchanges.isEmpty()) {
            isNew = false;
            isReceivingHead = false;
            order.remove(this);
            limit.active().increment();
        }
        exchanges.add(exchange);
    }

    /// Removes an exchange that has ended. After the last one, the connection is idle again, or closes.
    void remove(Exchange exchange) {
        if (exchanges.remove(exchange) && exchanges.isEmpty()) {
            setDeadline(isReceivingHead ? deadlines.header() : deadlines.idle());
            limit.active().decrement();
            if (isEnding || exchange.isLast()) {
                closer.drain();
            } else if (isStopping && streams == null) {
                shutDown();
            } else if (closer.isInputEnded()) {
                channel.eventLoop().execute(this::closeIfInputEnded);
            }
            awaitRequest(exchange.sentNanos());
        }
    }

    /// Asks the client for no more requests, which are still served. With HTTP/1.1, responses do so.
    void announceStop() {
        if (streams != null) {
            streams.announce();
        }
    }

    /// Closes the connection after the responses to its requests. With HTTP/2, first tells the client.
    void shutDown() {
        isStopping = true;
        if (streams != null) {
            streams.begin();
        } else {
            // A request that has arrived already is read in the next turn of the event loop.
            var _ = channel.eventLoop().schedule(() -> {
                if (exchanges.isEmpty() && !isReceivingHead && !closer.isClosing()) {
                    closer.close();
                }
            }, isNew ? FIRST_REQUEST.toNanos() : 0, TimeUnit.NANOSECONDS);
        }
    }

    /// Closes the connection once its exchanges have ended: no further one may begin.
    void closeAfterExchanges() {
        isEnding = true;
        if (exchanges.isEmpty()) {
            closer.drain();
        }
    }

    /// Ends overdue exchanges: with a 503 if the API is late, else by closing the connection.
    ///
    /// @param now by [System#nanoTime]
    void sweep(long now) {
        closer.sweep(now);
        closeIfInputEnded();
        // A client may leave responses unread, or frames without a request: those that its PINGs cause.
        boolean isUnread = exchanges.stream().anyMatch(exchange -> exchange.isUnread(now))
                || !(isResponseDue() || channel.isWritable());
        if (isUnread && limit.mustClientsRead()) {
            limit.refused().increment();
            exchanges.forEach(exchange -> exchange.endsBecause("memory is short"));
            closer.abort();
        } else if (!exchanges.isEmpty()) {
            List.copyOf(exchanges).forEach(exchange -> exchange.expire(deadlines.request(), now));
        } else if (!closer.isClosing() && now - deadlineNanos > 0) {
            closer.close();
        }
    }

    /// Lets new connections displace this one, which awaits a request since this time by [System#nanoTime].
    void awaitRequest(long sinceNanos) {
        if (exchanges.isEmpty() && channel.isActive() && !closer.isClosing()) {
            order.add(this, !isHeadDue(), sinceNanos);
        }
    }

    void closed() {
        order.remove(this);
        List.copyOf(exchanges).forEach(Exchange::closed);
    }
}
