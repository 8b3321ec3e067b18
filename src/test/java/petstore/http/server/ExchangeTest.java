package petstore.http.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpServerConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.message.Header;
import petstore.http.message.Response;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.Tls;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.Telemetry;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;

/// A bare server whose answers are sent by exchanges.
class ExchangeTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PATIENCE_MS = 30_000;
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String GET_AND_CLOSE = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    private static final Pattern HEAD = Pattern.compile("(?s)HTTP/1.1 200 OK\r\n.*?\r\n\r\n");
    private static final char LAST = '.';
    private static final Header DATE = Header.of("Date", "Sat, 21 Nov 2026 10:00:00 GMT");

    private volatile boolean stopping;
    private Deadlines deadlines = new Deadlines(LONG, LONG, LONG);
    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final BlockingQueue<FinishedRequest> log = new LinkedBlockingQueue<>();
    private final Telemetry telemetry = new Telemetry(meters, Optional.empty(), new RequestLog() {
        @Override
        public void finished(FinishedRequest request, String trace) {
            log.add(request);
        }

        @Override
        public void refused(RefusedKey refusal) {
            throw new AssertionError(refusal);
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
        Response answer = text("a".repeat(length - 1) + LAST);
        int port = listen(new HttpServerOptions(), FirstEndFails::install, exchange -> exchange.send(answer));
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(HEAD.matcher(taken(client, GET.repeat(3))).replaceFirst("")).hasSizeLessThan(length)
                    .matches("a*");
        }
        FinishedRequest first = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(first).isNotNull().matches(request -> !request.isAnswered());
    }

    /// With TLS a connection can be written to again when the first record of a long answer's first slice has been sent, and its
    /// last one has not. The sizes make it so: earlier bytes fill the connection, the last record of that does not, and
    /// together with head and slice it does again.
    @Test
    void beginsAnAnswerOnceThatHasWaitedForThoseBefore(@TempDir Path folder) throws IOException {
        HttpServerOptions tls = new HttpServerOptions();
        new Tls(CertificateFiles.load(TestCertificate.make(folder, "EC").write(folder)), LONG)
                .applyTo(tls, 8 * 1024);
        Response before = text("a".repeat(15_000));
        Response waiting = text("b".repeat(31_000), Header.of("x", "x".repeat(4_000)));
        Response after = text("c");
        Iterator<Response> responses = List.of(before, before, before, waiting, after).iterator();
        int port = listen(tls, _ -> {
        }, exchange -> {
            Response answer = responses.next();
            if (answer.equals(waiting)) {
                // The event loop marks the connection as full in its next turn.
                exchange.await(CompletableFuture.completedFuture(answer), exchange::send);
            } else {
                exchange.send(answer);
            }
        });
        try (Socket client = TestCertificate.trustingAll().getSocketFactory().createSocket("127.0.0.1", port)) {
            assertThat(HEAD.splitAsStream(taken(client, GET.repeat(4) + GET_AND_CLOSE)).skip(1)).containsExactly(
                    text(before), text(before), text(before),
                    text(waiting), text(after));
        }
    }

    /// A key that was looked up for longer than a request may take would have its animal added behind a 503. The result for the
    /// first request does so before the second one is answered.
    @Test
    void goesOnWithNothingThatComesBackAfterTheAnswer() throws IOException {
        List<String> steps = new CopyOnWriteArrayList<>();
        int port = listen(new HttpServerOptions(), _ -> {
        }, exchange -> {
            exchange.await(CompletableFuture.completedFuture("in time"), first -> {
                steps.add(first);
                exchange.await(CompletableFuture.completedFuture("too late"), steps::add);
                exchange.send(text("a"));
            });
        });
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(HEAD.splitAsStream(taken(client, GET + GET_AND_CLOSE)).skip(1)).containsExactly("a", "a");
        }
        assertThat(steps).containsExactly("in time", "in time");
    }

    @ParameterizedTest
    @CsvSource({"false, the client closed the connection or stream",
            "true, the connection was closed while the service stopped"})
    void saysWhyAConnectionEnded(boolean stops, String reason) throws IOException, InterruptedException {
        int port = listen(new HttpServerOptions(), _ -> {
        }, _ -> {
            stopping = stops;
        });
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
        }
        assertAbandoned(reason);
    }

    @Test
    void saysThatARequestTookTooLong() throws IOException, InterruptedException {
        deadlines = new Deadlines(LONG, LONG, Duration.ofMillis(100));
        int port = listen(new HttpServerOptions(), _ -> {
        }, _ -> {
        });
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(taken(client, GET)).isEmpty();
        }
        assertAbandoned("not complete within --request-timeout");
    }

    private void assertAbandoned(String reason) throws InterruptedException {
        FinishedRequest request = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(request).isNotNull().matches(known -> !known.isAnswered());
        assertThat(request.reason()).contains(reason);
    }

    private static String text(Response response) {
        return new String(response.body(), StandardCharsets.US_ASCII);
    }

    private static Response text(String body, Header... headers) {
        return Response.ok("text/plain", body.getBytes(StandardCharsets.US_ASCII), headers);
    }

    /// All that is sent to a client that asks this at once.
    private static String taken(Socket client, String requests) throws IOException {
        client.setSoTimeout(PATIENCE_MS);
        client.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
        return new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    private int listen(HttpServerOptions options, Consumer<ChannelHandlerContext> opened, Consumer<Exchange> begun) {
        Context loop = vertx.getOrCreateContext();
        Connections connections = new Connections(deadlines,
                new ConnectionLimit(10, new AtomicInteger(), new LongAdder(),
                        Counter.builder("refused").register(meters), () -> false),
                new TrustedProxies(List.of(), "none"), Long.MAX_VALUE, () -> stopping);
        loop.runOnContext(_ -> vertx.setPeriodic(connections.sweepIntervalMs(), _ -> connections.sweep()));
        return Future.<HttpServer>future(listening -> loop.runOnContext(
                _ -> vertx.createHttpServer(options.setStrictThreadMode(true)).connectionHandler(connection -> {
                    ChannelHandlerContext context = ((HttpServerConnection) connection).channelHandlerContext();
                    connections.accepted(context.channel());
                    connections.opened(context);
                    opened.accept(context);
                }).requestHandler(request -> begun
                        .accept(new Exchange(request, loop, connections, telemetry, 0, DATE)))
                        .listen(0, "127.0.0.1").onComplete(listening)))
                .await().actualPort();
    }

    /// As an encoder for which there is no memory when the end of the first answer is written.
    private static final class FirstEndFails extends ChannelOutboundHandlerAdapter {

        static void install(ChannelHandlerContext connection) {
            connection.pipeline().addFirst(new FirstEndFails());
        }

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
