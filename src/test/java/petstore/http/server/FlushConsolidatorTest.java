package petstore.http.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petstore.testkit.RawClient;

import static org.assertj.core.api.Assertions.assertThat;

/// Flushes of an event loop to real sockets.
class FlushConsolidatorTest {

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private Channel listener;

    @BeforeEach
    void listen() {
        FlushConsolidator flushes = new FlushConsolidator();
        listener = new ServerBootstrap().group(loop).channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addFirst(flushes);
                        accepted.add(channel);
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel();
    }

    @AfterEach
    void stop() {
        var _ = loop.shutdownGracefully();
    }

    @Test
    void flushesAllConnectionsAtEndOfTurn() throws IOException, InterruptedException {
        try (RawClient first = connect(); RawClient second = connect()) {
            List<Channel> channels = List.of(accepted.take(), accepted.take());
            List<Long> pendingBytes = loop.submit(() -> {
                for (Channel channel : channels) {
                    var _ = channel.writeAndFlush(text("answer"));
                }
                return channels.stream().map(channel -> channel.unsafe().outboundBuffer().totalPendingWriteBytes())
                        .toList();
            }).syncUninterruptibly().getNow();
            assertThat(pendingBytes).hasSize(2).allMatch(bytes -> bytes > 0);
            assertThat(first.socket().getInputStream().readNBytes(6)).asString().isEqualTo("answer");
            assertThat(second.socket().getInputStream().readNBytes(6)).asString().isEqualTo("answer");
        }
    }

    @Test
    void waitsForWritesInNextTurn() throws IOException, InterruptedException {
        try (RawClient first = connect(); RawClient second = connect()) {
            Channel firstChannel = accepted.take();
            Channel secondChannel = accepted.take();
            CompletableFuture<Long> pendingBytes = new CompletableFuture<>();
            loop.execute(() -> {
                var _ = loop.schedule(() -> {
                    var _ = secondChannel.writeAndFlush(text("second"));
                    pendingBytes.complete(firstChannel.unsafe().outboundBuffer().totalPendingWriteBytes());
                }, 0, TimeUnit.NANOSECONDS);
                var _ = firstChannel.writeAndFlush(text("first"));
            });
            assertThat(pendingBytes.join()).isPositive();
            assertThat(List.of(first.socket().getInputStream().read(), second.socket().getInputStream().read()))
                    .containsExactlyInAnyOrder((int) 'f', (int) 's');
        }
    }

    @Test
    void flushesDuringEndlessWrites() throws IOException, InterruptedException {
        try (RawClient client = connect(); RawClient other = connect()) {
            List<Channel> channels = List.of(accepted.take(), accepted.take());
            ScheduledFuture<?> endless = loop.scheduleWithFixedDelay(() -> {
                for (Channel channel : channels) {
                    var _ = channel.writeAndFlush(text("answer"));
                }
            }, 0, 1, TimeUnit.NANOSECONDS);
            assertThat(client.socket().getInputStream().readNBytes(6)).asString().isEqualTo("answer");
            assertThat(other.socket().getInputStream().readNBytes(6)).asString().isEqualTo("answer");
            endless.cancel(false);
        }
    }

    private RawClient connect() throws IOException {
        return new RawClient(((InetSocketAddress) listener.localAddress()).getPort());
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
