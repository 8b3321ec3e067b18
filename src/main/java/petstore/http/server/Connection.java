package petstore.http.server;

import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ConnectionPhase.Kind;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.codec.ClientAddress;

/// A connection: its exchanges, its phase, and its end. A stock handler knows only one of the three.
///
/// It sees the input before TLS and the decoder. If memory is short, it refuses incomplete requests. Confined to its event loop.
final class Connection extends ChannelInboundHandlerAdapter {

    private final Channel channel;
    private final ClientAddress client;
    private final Deadlines deadlines;
    private final ConnectionLimit limit;
    private final ConnectionLimit.DisplacementOrder<Connection> order;
    private final ConnectionCloser closer;
    private final ConnectionPhase phase;
    private final Exchanges exchanges = new Exchanges();
    private @Nullable StreamsShutdown streams;
    /// True if bytes have arrived since it was last set to false.
    private boolean hasInput;
    private boolean isStopping;
    /// True if no further exchange is expected.
    private boolean isEnding;

    Connection(Channel channel, Deadlines deadlines, ConnectionLimit limit, TrustedProxies proxies,
            ConnectionLimit.DisplacementOrder<Connection> order) {
        this.channel = channel;
        this.client = new ClientAddress(channel, proxies);
        this.deadlines = deadlines;
        this.limit = limit;
        this.order = order;
        this.closer = new ConnectionCloser(channel);
        this.phase = new ConnectionPhase(deadlines);
    }

    ClientAddress client() {
        return client;
    }

    ConnectionCloser closer() {
        return closer;
    }

    /// Records that requests may arrive, with TLS after the handshake, and the streams of HTTP/2; null for HTTP/1.1.
    void opened(@Nullable StreamsShutdown ofHttp2) {
        phase.become(Kind.CONNECTED);
        streams = ofHttp2;
        if (isStopping) {
            shutDown();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        hasInput = true;
        if (phase.isFlooded(((ByteBuf) bytes).readableBytes())) {
            closer.closeNow();
        }
        if (closer.isClosing()) {
            ReferenceCountUtil.release(bytes);
            return;
        }
        if (phase.is(Kind.CONNECTED)) {
            phase.become(Kind.HEAD);
        }
        context.fireChannelRead(bytes);
        // With HTTP/2, frames between requests may concern only the connection.
        if (streams == null) {
            headBegan();
        }
        if ((isReceiving() || exchanges.number() > 1) && limit.isShort()
                && !exchanges.shed()) {
            refuse();
        }
    }

    /// Begins the deadline of a head, unless the whole head has arrived.
    void headBegan() {
        if (phase.is(Kind.IDLE) && !closer.isClosing()) {
            phase.begin(Kind.HEAD);
            awaitRequest(System.nanoTime());
        }
    }

    private boolean isReceiving() {
        return exchanges.number() == 0 ? !phase.is(Kind.IDLE) : !exchanges.areAnswering();
    }

    /// Closes the connection because of the limit or a lack of memory.
    void refuse() {
        limit.refused().increment();
        closer.close();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            closer.inputEnded();
            closeIfInputEnded();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    /// Closes the connection of a client that has ended its output, unless a response of HTTP/1.1 is due.
    private void closeIfInputEnded() {
        if (closer.isInputEnded() && (streams != null || !exchanges.areAnswering()) && !closer.isClosing()) {
            closer.close();
        }
    }

    void began(Exchange exchange) {
        if (exchanges.number() == 0) {
            phase.become(Kind.EXCHANGES);
            order.remove(this);
            limit.active().increment();
        }
        exchanges.add(exchange);
    }

    void ended(Exchange exchange) {
        if (exchanges.remove(exchange)) {
            phase.begin(Kind.IDLE);
            limit.active().decrement();
            awaitRequest(exchange.sentNanos());
            if (isEnding) {
                closer.drain();
            } else if (isStopping) {
                shutDown();
            } else if (closer.isInputEnded()) {
                channel.eventLoop().execute(this::closeIfInputEnded);
            }
        }
    }

    /// Closes the connection after the responses to its requests. With HTTP/2, first tells the client.
    void shutDown() {
        isStopping = true;
        if (streams != null) {
            streams.begin();
        } else if (phase.hasNoRequest()) {
            // A request that has arrived already is read in the next turn of the event loop.
            var _ = channel.eventLoop().schedule(() -> {
                if (phase.hasNoRequest()) {
                    closer.close();
                }
            }, 0, TimeUnit.NANOSECONDS);
        }
    }

    /// Closes the connection once its exchanges have ended: no further one may begin.
    void closeAfterExchanges() {
        isEnding = true;
        if (exchanges.number() == 0) {
            closer.drain();
        }
    }

    /// Ends overdue exchanges: with a 503 if the API is late, else by closing the connection.
    ///
    /// @param now by [System#nanoTime]
    /// @param memoryIsShort true if the connection of a client that does not read its response is closed
    void sweep(long now, boolean memoryIsShort) {
        closer.sweep(now);
        closeIfInputEnded();
        if (memoryIsShort && exchanges.areUnread(now)) {
            abortForMemory();
        } else if (exchanges.number() > 0) {
            exchanges.expire(deadlines.request(), now);
        } else if (!closer.isClosing() && phase.isOver(now)) {
            closer.close();
        }
    }

    void abortForMemory() {
        limit.refused().increment();
        exchanges.endBecauseOfMemory();
        closer.abort();
    }

    void awaitInput() {
        hasInput = false;
    }

    /// Returns true if bytes have arrived since [#awaitInput], or the connection is not read yet.
    boolean hasInput() {
        return hasInput || !channel.config().isAutoRead();
    }

    /// Lets new connections displace this one, which awaits a request since this time by [System#nanoTime].
    void awaitRequest(long sinceNanos) {
        if (exchanges.number() == 0 && channel.isActive()) {
            order.add(this, phase.is(Kind.IDLE), sinceNanos);
        }
    }

    void closed() {
        order.remove(this);
        exchanges.closed();
    }
}
