package petstore.http.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.impl.HttpServerConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The limit on unread bytes of responses, on a minimal server. Once it is exceeded, a single long response may stay unread.
class ConnectionsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final int SHORT_RESPONSE = 1_000;
    /// More than the socket buffers of both sides hold.
    private static final int LONG_RESPONSE = 32 * 1024 * 1024;

    private final Vertx vertx = Vertx.vertx();
    private final Counter refused = Counter.builder("refused").register(new SimpleMeterRegistry());

    @AfterEach
    void close() throws Exception {
        vertx.close().await();
    }

    @Test
    void abortsConnectionsWithMostUnreadBytesFirst() throws IOException {
        int port = listen(2L * LONG_RESPONSE);
        try (Socket reading = connect(port);
                Socket first = connect(port);
                Socket second = connect(port);
                Socket third = connect(port)) {
            sendRequest(reading, SHORT_RESPONSE);
            assertThat(readMoreThan(reading, SHORT_RESPONSE)).isGreaterThan(SHORT_RESPONSE);
            for (Socket idle : new Socket[]{first, second, third}) {
                sendRequest(idle, LONG_RESPONSE);
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> refused.count() > 0);
            sendRequest(reading, SHORT_RESPONSE);
            assertThat(readMoreThan(reading, SHORT_RESPONSE)).isGreaterThan(SHORT_RESPONSE);
        }
    }

    private int listen(long mostUnreadBytes) {
        Context loop = vertx.getOrCreateContext();
        Connections connections = new Connections(new Deadlines(LONG, LONG, LONG),
                new ConnectionLimit(10, new AtomicInteger(), new LongAdder(), refused, refused, () -> false),
                new TrustedProxies(List.of(), "none"), mostUnreadBytes, () -> false, Map.of());
        return Future.<HttpServer>future(listening -> loop.runOnContext(_ -> {
            vertx.setPeriodic(connections.sweepIntervalMs(), _ -> connections.sweep());
            vertx.createHttpServer().connectionHandler(connection -> {
                ChannelHandlerContext opened = ((HttpServerConnection) connection).channelHandlerContext();
                connections.accepted(opened.channel());
                connections.opened(opened);
            })
                    .requestHandler(request -> request.response()
                            .end(Buffer.buffer(new byte[Integer.parseInt(request.uri().substring(1))])))
                    .listen(0, "127.0.0.1").onComplete(listening);
        })).await().actualPort();
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void sendRequest(Socket socket, int bytes) throws IOException {
        socket.getOutputStream().write(GET.replace(" / ", " /" + bytes + " ").getBytes(StandardCharsets.US_ASCII));
    }

    private static int readMoreThan(Socket socket, int least) throws IOException {
        InputStream in = socket.getInputStream();
        int read = 0;
        while (read <= least) {
            int more = in.read(new byte[4_096]);
            assertThat(more).isPositive();
            read += more;
        }
        return read;
    }
}
