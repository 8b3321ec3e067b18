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
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PacedAcceptorTest {

    private static final int CLIENTS = 100;
    private static final long PATIENCE_S = 30;

    private final AtomicInteger accepted = new AtomicInteger();
    private final CountDownLatch registered = new CountDownLatch(CLIENTS);

    @Test
    void acceptsNoMoreConnectionsWhileEventLoopIsBusy() throws Exception {
        EventLoopGroup acceptor = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        CountDownLatch release = new CountDownLatch(1);
        List<Socket> clients = new ArrayList<>();
        try {
            Channel server = new ServerBootstrap().group(acceptor, loop)
                    .channel(NioServerSocketChannel.class).option(ChannelOption.AUTO_READ, false)
                    .handler(pacedAndCounted())
                    .childHandler(registrationCounter())
                    .bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
            var _ = loop.submit(() -> release.await(PATIENCE_S, TimeUnit.SECONDS));
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(connect(server));
            }
            await().until(() -> accepted.get() > 0);
            for (int rounds = 0; rounds < CLIENTS; rounds++) {
                acceptor.submit(() -> {
                }).sync();
            }
            assertThat(accepted.get()).isEqualTo(1);

            release.countDown();
            assertThat(registered.await(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(accepted.get()).isEqualTo(CLIENTS);
        } finally {
            release.countDown();
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

    /// Counts accepted connections, before they are handed to their event loop.
    private ChannelInitializer<Channel> pacedAndCounted() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel listening) {
                listening.pipeline().addLast(new PacedAcceptor(), new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object connection) {
                        accepted.incrementAndGet();
                        context.fireChannelRead(connection);
                    }
                });
            }
        };
    }

    private ChannelInitializer<Channel> registrationCounter() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel connection) {
                registered.countDown();
            }
        };
    }
}
