package petstore.http.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vertx.core.spi.transport.Transport;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ThrottledAcceptorTest {

    private static final int CLIENTS = 100;
    /// As many as Netty takes at once.
    private static final int AT_ONCE = 16;
    private static final long PATIENCE_S = 30;

    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger handedOver = new AtomicInteger();
    private final CountDownLatch reached = new CountDownLatch(CLIENTS);

    @Test
    void takesNoMoreBeforeTheEventLoopHasGotRoundToThose() throws Exception {
        ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        Transport transport = ThrottledAcceptor.transport(listening, () -> _ -> handedOver.incrementAndGet())
                .implementation();
        EventLoopGroup acceptor = new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
        CountDownLatch busy = new CountDownLatch(1);
        List<Socket> clients = new ArrayList<>();
        try {
            Channel server = new ServerBootstrap().group(acceptor, loop)
                    .channelFactory(transport.serverChannelFactory(false)).handler(counter()).childHandler(reaching())
                    .bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
            var _ = loop.submit(() -> busy.await(PATIENCE_S, TimeUnit.SECONDS));
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(connect(server));
            }
            await().until(() -> taken.get() > 0);
            for (int rounds = 0; rounds < CLIENTS; rounds++) {
                acceptor.submit(() -> {
                }).sync();
            }
            assertThat(taken.get()).isLessThanOrEqualTo(AT_ONCE);

            busy.countDown();
            assertThat(reached.await(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(taken.get()).isEqualTo(CLIENTS);
            assertThat(handedOver.get()).isEqualTo(CLIENTS);
            assertThat(List.copyOf(listening)).containsExactly(server);
        } finally {
            busy.countDown();
            for (Socket client : clients) {
                client.close();
            }
            acceptor.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).sync();
            loop.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).sync();
        }
    }

    private static Socket connect(Channel server) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), ((InetSocketAddress) server.localAddress()).getPort());
    }

    private ChannelInboundHandlerAdapter counter() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object connection) {
                taken.incrementAndGet();
                context.fireChannelRead(connection);
            }
        };
    }

    private ChannelInitializer<Channel> reaching() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel connection) {
                reached.countDown();
            }
        };
    }
}
