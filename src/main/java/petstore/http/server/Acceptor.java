package petstore.http.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import petstore.Closer;

/// Accepts the connections of a listener, one at a time, the next one when the last is on its event loop. The rest wait in the system's
/// bounded queue.
///
/// Netty's own accepts all of them at once, before `ConnectionLimit` can refuse any. So a burst of clients would exhaust a small heap
/// (`OverloadIT.keepsServingWhenUnfinishedRequestsExceedHeap`). It also closes the socket a turn of its event loop after the last accept,
/// and the system resets the connections of that time.
final class Acceptor {

    private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /// The socket is closed after so many milliseconds without a new connection.
    private static final int QUIET_TRIALS = 10;
    private static final long LONGEST_PAUSE_MS = 200;
    /// Reads are small: a pipelined request takes many times the memory of its bytes.
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(64, 2 * 1024, 8 * 1024)
            .maxMessagesPerRead(1);
    /// A connection becomes unwritable at the second number of unread bytes, and writable again below the first.
    private static final WriteBufferWaterMark WRITES = new WriteBufferWaterMark(16 * 1024, 32 * 1024);
    /// By default, the system would take megabytes that a client does not read. Linux doubles both numbers.
    private static final int SEND_BUFFER_BYTES = 128 * 1024;
    private static final int RECEIVE_BUFFER_BYTES = 48 * 1024;

    private final EventLoopGroup loops;
    private final ChannelHandler pipeline;
    private final Selector arrivals;
    private final ServerSocketChannel listening;
    /// By its parent, the HTTP/2 codec knows a connection of a server.
    private final Channel parent;
    private final Thread thread;
    private volatile boolean isClosing;

    /// Listens on the address.
    ///
    /// @param listener the name of the listener
    /// @param loops the event loops of the connections, in turn
    /// @param pipeline adds the handlers of a connection
    Acceptor(String listener, InetSocketAddress address, EventLoopGroup loops, ChannelHandler pipeline)
            throws IOException {
        this.loops = loops;
        this.pipeline = pipeline;
        try (Closer opened = new Closer()) {
            arrivals = opened.add(Selector.open());
            listening = opened.add(ServerSocketChannel.open());
            listening.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
            listening.bind(address, NetUtil.SOMAXCONN).configureBlocking(false);
            listening.register(arrivals, SelectionKey.OP_ACCEPT);
            parent = new NioServerSocketChannel(listening);
            opened.handOver();
        }
        thread = Thread.ofPlatform().name("http-accept-" + listener).daemon().start(this::run);
    }

    int port() {
        return listening.socket().getLocalPort();
    }

    /// First accepts the connections that wait, because the system would reset them.
    void close() throws InterruptedException {
        isClosing = true;
        arrivals.wakeup();
        thread.join();
    }

    private void run() {
        while (!isClosing) {
            try {
                arrivals.select(_ -> {
                });
                SocketChannel accepted = listening.accept();
                if (accepted != null) {
                    register(accepted).awaitUninterruptibly();
                }
            } catch (IOException | RuntimeException | OutOfMemoryError _) {
                // E.g. the process has too many open files.
                LockSupport.parkNanos(AFTER_FAILURE_NANOS);
            }
        }
        CountDownLatch closed = new CountDownLatch(1);
        // A response asks its client to connect again. So none is sent until the socket is closed.
        for (EventExecutor loop : loops) {
            var _ = loop.submit(() -> closed.await(LONGEST_PAUSE_MS, TimeUnit.MILLISECONDS));
        }
        // Java closes a socket at once if no selector has it.
        try (listening; arrivals) {
            arrivals.close();
            acceptLast();
        } catch (IOException | RuntimeException | OutOfMemoryError _) {
            // The system resets the rest.
        }
        closed.countDown();
    }

    private void acceptLast() throws IOException {
        for (int quiet = 0, all = 0; quiet < QUIET_TRIALS && all < NetUtil.SOMAXCONN; all++) {
            SocketChannel accepted = listening.accept();
            if (accepted == null) {
                quiet++;
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            } else {
                quiet = 0;
                var _ = register(accepted);
            }
        }
    }

    private ChannelFuture register(SocketChannel accepted) {
        NioSocketChannel connection = new NioSocketChannel(parent, accepted);
        connection.pipeline().addLast(pipeline);
        // A client may close its side and still wait for the response.
        connection.config().setAllowHalfClosure(true).setSendBufferSize(SEND_BUFFER_BYTES)
                .setWriteBufferWaterMark(WRITES).setRecvByteBufAllocator(READS);
        return loops.register(connection).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
}
