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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.impl.HttpServerConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petstore.http.HttpSettings.Deadlines;

import static org.assertj.core.api.Assertions.assertThat;

/// A bare server whose first answer on each connection cannot be written.
class ExchangeTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PATIENCE_MS = 30_000;
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

    /// Its client would else wait for it, or take the next one for it.
    @Test
    void endsTheConnectionOfAnAnswerThatCannotBeWritten() throws IOException, InterruptedException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), listen())) {
            client.setSoTimeout(PATIENCE_MS);
            client.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.getInputStream().readAllBytes()).asString().isEmpty();
        }
        RequestLog.Entry first = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(first).isNotNull().extracting(RequestLog.Entry::outcome).isEqualTo("abandoned");
    }

    private int listen() {
        Context loop = vertx.getOrCreateContext();
        Connections connections = new Connections(new Deadlines(LONG, LONG, LONG),
                new Room(10, new AtomicInteger(), Counter.builder("refused").register(meters), () -> false),
                Long.MAX_VALUE);
        return Future.<HttpServer>future(listening -> loop.runOnContext(
                _ -> vertx.createHttpServer().connectionHandler(connection -> open(connection, connections))
                        .requestHandler(request -> new Exchange(request, loop, connections, telemetry, 0, DATE)
                                .send(Answer.ok("text/plain", new byte[]{'a'})))
                        .listen(0, "127.0.0.1").onComplete(listening)))
                .await().actualPort();
    }

    private static void open(HttpConnection connection, Connections connections) {
        connections.opened(connection);
        ((HttpServerConnection) connection).channelHandlerContext().pipeline().addFirst(new FirstWriteFails());
    }

    /// As an encoder for which there is no memory.
    private static final class FirstWriteFails extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            context.pipeline().remove(this);
            ReferenceCountUtil.release(message);
            promise.setFailure(new IOException("there is no memory"));
        }
    }
}
