package petstore.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.impl.HttpServerConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.HttpSettings.Deadlines;

import static org.assertj.core.api.Assertions.assertThat;

/// A bare server whose first answer on each connection cannot be written to its end.
class ExchangeTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PATIENCE_MS = 30_000;
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final char LAST = '.';
    private static final Header DATE = Header.of("Date", "Sat, 21 Nov 2026 10:00:00 GMT");

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final BlockingQueue<RequestLog.Entry> log = new LinkedBlockingQueue<>();
    private final Telemetry telemetry = new Telemetry(new RequestMeters(meters), new Traces(Optional.empty()),
            new RequestLog() {
                @Override
                public void ended(Entry entry) {
                    log.add(entry);
                }

                @Override
                public void refused(long epochMilli, String line) {
                    throw new AssertionError(line);
                }
            });

    @AfterEach
    void close() throws Exception {
        vertx.close().await();
    }

    /// Its client would else wait for the rest, or take the next answer for it.
    @ParameterizedTest
    @ValueSource(ints = {1, 20_000})
    void endsTheConnectionOfAnAnswerThatCannotBeWritten(int length) throws IOException, InterruptedException {
        String body = "a".repeat(length - 1) + LAST;
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), listen(body))) {
            client.setSoTimeout(PATIENCE_MS);
            client.getOutputStream().write(GET.repeat(3).getBytes(StandardCharsets.US_ASCII));
            String taken = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(taken.replaceFirst("(?s)^HTTP/1.1 200 OK\r\n.*?\r\n\r\n", ""))
                    .hasSizeLessThan(length).matches("a*");
        }
        RequestLog.Entry first = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(first).isNotNull().extracting(RequestLog.Entry::outcome).isEqualTo("abandoned");
    }

    private int listen(String body) {
        Context loop = vertx.getOrCreateContext();
        Connections connections = new Connections(new Deadlines(LONG, LONG, LONG),
                new Room(10, new AtomicInteger(), Counter.builder("refused").register(meters), () -> false),
                Long.MAX_VALUE);
        return Future.<HttpServer>future(listening -> loop.runOnContext(
                _ -> vertx.createHttpServer().connectionHandler(connection -> open(connection, connections))
                        .requestHandler(request -> new Exchange(request, loop, connections, telemetry, 0, DATE)
                                .send(Answer.ok("text/plain", body.getBytes(StandardCharsets.US_ASCII))))
                        .listen(0, "127.0.0.1").onComplete(listening)))
                .await().actualPort();
    }

    private static void open(HttpConnection connection, Connections connections) {
        connections.opened(connection);
        ((HttpServerConnection) connection).channelHandlerContext().pipeline().addFirst(new FirstEndFails());
    }

    /// As an encoder for which there is no memory when the end of the first answer is written.
    private static final class FirstEndFails extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) message;
            if (bytes.isReadable() && bytes.getByte(bytes.writerIndex() - 1) == LAST) {
                context.pipeline().remove(this);
                bytes.release();
                promise.setFailure(new IOException("there is no memory"));
            } else {
                var _ = context.write(message, promise);
            }
        }
    }
}
