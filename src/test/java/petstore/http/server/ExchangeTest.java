package petstore.http.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

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
import petstore.http.message.KeyScanner;
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

/// Exchanges on a minimal server: responses that are sent, and requests that are abandoned.
class ExchangeTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PATIENCE_MS = 30_000;
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String GET_AND_CLOSE = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    private static final Pattern HEAD = Pattern.compile("(?s)HTTP/1.1 200 OK\r\n.*?\r\n\r\n");
    private static final char LAST_BYTE = '.';
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
    }, new KeyScanner(Optional.empty()));

    @AfterEach
    void close() throws Exception {
        vertx.close().await();
    }

    /// Otherwise, the client would wait for the rest, or mistake the next response for this one.
    @ParameterizedTest
    @ValueSource(ints = {1, 20_000})
    void closesConnectionIfResponseCannotBeWritten(int length) throws IOException, InterruptedException {
        Response response = text("a".repeat(length - 1) + LAST_BYTE);
        int port = listen(new HttpServerOptions(), FailingWrite::install, exchange -> exchange.send(response));
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(HEAD.matcher(receive(client, GET.repeat(3))).replaceFirst("")).hasSizeLessThan(length)
                    .matches("a*");
        }
        FinishedRequest first = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(first).isNotNull().matches(request -> !request.isAnswered());
    }

    /// With TLS, a connection becomes writable again when the first record of a long response's first slice is sent, but the last
    /// is not. The sizes have this effect: the earlier bytes fill the connection, and their last record alone does not. Together
    /// with the head and the slice, that record fills it again.
    @Test
    void startsQueuedResponseOnlyOnce(@TempDir Path folder) throws IOException {
        HttpServerOptions tls = new HttpServerOptions();
        new Tls(CertificateFiles.load(TestCertificate.ec().write(folder)), LONG)
                .applyTo(tls, 8 * 1024);
        Response earlier = text("a".repeat(15_000));
        Response queued = text("b".repeat(31_000), Header.of("x", "x".repeat(4_000)));
        Response later = text("c");
        Iterator<Response> responses = List.of(earlier, earlier, earlier, queued, later).iterator();
        int port = listen(tls, _ -> {
        }, exchange -> {
            Response response = responses.next();
            if (response.equals(queued)) {
                // The event loop marks the connection as full in its next turn.
                exchange.await(CompletableFuture.completedFuture(response), exchange::send);
            } else {
                exchange.send(response);
            }
        });
        try (Socket client = TestCertificate.trustingAll().getSocketFactory().createSocket("127.0.0.1", port)) {
            assertThat(HEAD.splitAsStream(receive(client, GET.repeat(4) + GET_AND_CLOSE)).skip(1)).containsExactly(
                    text(earlier), text(earlier), text(earlier),
                    text(queued), text(later));
        }
    }

    /// If the lookup of a key outlasts the request timeout, the animal must not be added after the 503. The late result for the
    /// first request arrives before the response to the second request.
    @Test
    void ignoresResultAfterResponseIsSent() throws IOException {
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
            assertThat(HEAD.splitAsStream(receive(client, GET + GET_AND_CLOSE)).skip(1)).containsExactly("a", "a");
        }
        assertThat(steps).containsExactly("in time", "in time");
    }

    @ParameterizedTest
    @CsvSource({"false, the client closed the connection or stream",
            "true, the connection was closed while the service stopped"})
    void logsReasonOfClosedConnection(boolean isStopping, String reason) throws IOException, InterruptedException {
        int port = listen(new HttpServerOptions(), _ -> {
        }, _ -> {
            stopping = isStopping;
        });
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
        }
        assertAbandoned(reason);
    }

    @Test
    void logsRequestTimeout() throws IOException, InterruptedException {
        deadlines = new Deadlines(LONG, LONG, Duration.ofMillis(100));
        int port = listen(new HttpServerOptions(), _ -> {
        }, _ -> {
        });
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(receive(client, GET)).isEmpty();
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

    /// Sends the requests at once. Returns all bytes that the client receives until the connection is closed.
    private static String receive(Socket client, String requests) throws IOException {
        client.setSoTimeout(PATIENCE_MS);
        client.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
        return new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    private int listen(HttpServerOptions options, Consumer<ChannelHandlerContext> opened, Consumer<Exchange> begun) {
        Context loop = vertx.getOrCreateContext();
        Connections connections = new Connections(deadlines,
                ConnectionLimit.of("api", 10, () -> false, meters), new TrustedProxies(List.of(), "none"),
                Long.MAX_VALUE, () -> stopping, Map.of());
        loop.runOnContext(_ -> vertx.setPeriodic(connections.sweepIntervalMs(), _ -> connections.sweep()));
        return Future.<HttpServer>future(listening -> loop.runOnContext(
                _ -> vertx.createHttpServer(options.setStrictThreadMode(true)).connectionHandler(connection -> {
                    ChannelHandlerContext context = ((HttpServerConnection) connection).channelHandlerContext();
                    connections.accepted(context.channel());
                    connections.opened(context);
                    opened.accept(context);
                }).requestHandler(request -> begun
                        .accept(new Exchange(request, loop, connections, telemetry, 0, () -> DATE)))
                        .listen(0, "127.0.0.1").onComplete(listening)))
                .await().actualPort();
    }

    /// Fails to write the last byte of the first response, like an encoder without memory.
    private static final class FailingWrite extends ChannelOutboundHandlerAdapter {

        static void install(ChannelHandlerContext connection) {
            connection.pipeline().addFirst(new FailingWrite());
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) message;
            if (bytes.isReadable() && bytes.getByte(bytes.writerIndex() - 1) == LAST_BYTE) {
                context.pipeline().remove(this);
                bytes.release();
                promise.setFailure(new IOException("there is no memory"));
            } else {
                var _ = context.write(message, promise);
            }
        }
    }
}
