package petstore.http.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class AcceptorTest {

    private static final int CLIENTS = 16;
    private static final int STOPS = 20;
    private static final int REQUESTS_BEFORE_STOP = 20;
    private static final long PATIENCE_S = 30;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void stopLoops() throws InterruptedException {
        loops.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).sync();
    }

    @Test
    void acceptsNoMoreConnectionsWhileEventLoopIsBusy() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        List<Socket> clients = new ArrayList<>();
        Acceptor acceptor = acceptor("busy", new Answer());
        try {
            var _ = loops.submit(() -> free.await(PATIENCE_S, TimeUnit.SECONDS));
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(connect(acceptor));
            }
            await().until(() -> thread("http-accept-busy").getState() == Thread.State.WAITING);
            assertThat(waitingConnections(acceptor)).isEqualTo(CLIENTS - 1);

            free.countDown();
            for (Socket client : clients) {
                assertThat(client.getInputStream().read()).isEqualTo(Answer.BYTE);
            }
        } finally {
            free.countDown();
            for (Socket client : clients) {
                client.close();
            }
            acceptor.close();
        }
    }

    /// Clients that connect again after each response, many times a millisecond.
    @Test
    void everyConnectionBeforeCloseIsAnswered() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int stop = 0; stop < STOPS; stop++) {
                Answer answer = new Answer();
                Acceptor acceptor = acceptor("stop", answer);
                CountDownLatch running = new CountDownLatch(REQUESTS_BEFORE_STOP);
                Callable<Void> client = () -> requestUntilRefused(acceptor, running);
                List<Future<Void>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(threads.submit(client));
                }
                assertThat(running.await(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
                acceptor.close();
                for (Future<Void> ended : clients) {
                    ended.get(PATIENCE_S, TimeUnit.SECONDS);
                }
            }
        }
    }

    /// Fails if a connection that was accepted, or that the system had completed, gets no answer.
    private static Void requestUntilRefused(Acceptor acceptor, CountDownLatch running) throws IOException {
        while (true) {
            try (Socket client = connect(acceptor)) {
                assertThat(client.getInputStream().read()).isEqualTo(Answer.BYTE);
                running.countDown();
            } catch (ConnectException _) {
                return null;
            }
        }
    }

    private Acceptor acceptor(String name, Answer answer) throws IOException {
        return new Acceptor(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), loops, answer);
    }

    private static Socket connect(Acceptor acceptor) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), acceptor.port());
    }

    private static Thread thread(String name) {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals(name)).findFirst()
                .orElseThrow();
    }

    /// Returns the number of connections that the system has completed and the listener has not accepted.
    private static int waitingConnections(Acceptor acceptor) throws IOException {
        String port = ":%04X".formatted(acceptor.port());
        String listening = "0A";
        for (String file : List.of("/proc/net/tcp6", "/proc/net/tcp")) {
            for (String line : Files.exists(Path.of(file)) ? Files.readAllLines(Path.of(file)) : List.<String>of()) {
                String[] fields = line.strip().split(" +", -1);
                if (fields[1].endsWith(port) && fields[3].equals(listening)) {
                    return Integer.parseInt(fields[4].replaceFirst(".*:", ""), 16);
                }
            }
        }
        throw new AssertionError("no socket listens on " + port);
    }

    /// Sends a byte on each new connection and closes it.
    @Sharable
    private static final class Answer extends ChannelInboundHandlerAdapter {

        private static final int BYTE = 'x';

        @Override
        public void channelActive(ChannelHandlerContext connection) {
            connection.writeAndFlush(Unpooled.buffer(1).writeByte(BYTE)).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
