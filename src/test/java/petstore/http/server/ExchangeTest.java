package petstore.http.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.message.Api;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.Tls;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.RequestLog.FinishedRequest;
import petstore.http.telemetry.Telemetry;
import petstore.testkit.LogLines;
import petstore.testkit.RawClient;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/// Exchanges of one event loop with an API of the test: responses that are sent, and requests that are abandoned.
class ExchangeTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PATIENCE_MS = 30_000;
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String GET_AND_CLOSE = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    private static final Pattern HEAD = Pattern.compile("(?s)HTTP/1.1 200 OK\r\n.*?\r\n\r\n");
    private static final char LAST_BYTE = '.';
    private static final int FRAME = 16 * 1024;
    /// The window of a connection of HTTP/2, and of a stream.
    private static final int WINDOW = 65_535;
    /// More than the socket buffers of both sides hold.
    private static final int LARGE = 16 * 1024 * 1024;

    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicBoolean memoryIsShort = new AtomicBoolean();
    private Deadlines deadlines = new Deadlines(LONG, LONG, LONG);
    private long mostOffHeapBytes = Long.MAX_VALUE;
    private Optional<Tls> tls = Optional.empty();
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
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
    void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /// Otherwise, the client would wait for the rest, or mistake the next response for this one.
    @ParameterizedTest
    @ValueSource(ints = {1, 20_000})
    void closesConnectionIfResponseCannotBeWritten(int length) throws IOException, InterruptedException {
        Response response = text("a".repeat(length - 1) + LAST_BYTE);
        int port = listen(FailingWrite::install, _ -> new Api.Respond(response));
        try (RawClient client = new RawClient(port)) {
            assertThat(HEAD.matcher(receive(client, GET.repeat(3))).replaceFirst("")).hasSizeLessThan(length)
                    .matches("a*");
        }
        FinishedRequest first = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(first).isNotNull().matches(request -> request.status() == 0);
    }

    /// The sizes fill the connection, with and without a slice that is encoded with the head.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsPipelinedResponsesInOrder(boolean overTls, @TempDir Path folder) throws IOException {
        if (overTls) {
            tls = Optional.of(new Tls(new CertificateFiles(TestCertificate.ec().write(folder)), LONG, Runnable::run));
        }
        List<String> bodies = List.of("a".repeat(15_000), "b".repeat(15_000), "c".repeat(100_000),
                "d".repeat(16 * 1024),
                "e");
        Iterator<String> next = bodies.iterator();
        int port = listen(_ -> new Api.Await(CompletableFuture.completedFuture(text(next.next()))));
        try (RawClient client = overTls
                ? new RawClient(TestCertificate.trustingAll().getSocketFactory().createSocket("127.0.0.1", port))
                : new RawClient(port)) {
            assertThat(HEAD.splitAsStream(receive(client, GET.repeat(4) + GET_AND_CLOSE)).skip(1))
                    .containsExactlyElementsOf(bodies);
        }
    }

    /// If the look-up of a key outlasts the request timeout, the animal must not be added after the 503.
    @Test
    void ignoresDecisionAfterResponseIsSent() throws IOException {
        deadlines = new Deadlines(LONG, LONG, Duration.ofMillis(100));
        List<String> added = new CopyOnWriteArrayList<>();
        CompletableFuture<Api.Decision> late = new CompletableFuture<>();
        int port = listen(head -> head.method().equals("POST") ? new Api.AwaitKey(late) : new Api.Respond(text("a")));
        try (RawClient client = new RawClient(port)) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na");
            assertThat(client.response().orElseThrow().status()).isEqualTo(503);
            late.complete(decision(new Api.ReadBody(10, _ -> {
                added.add("an animal");
                return CompletableFuture.completedFuture(text("b"));
            })));
            assertThat(receive(client, GET_AND_CLOSE)).endsWith("\r\n\r\na");
        }
        assertThat(added).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"false, the client closed the connection or stream",
            "true, the connection was closed while the service stopped"})
    void logsReasonOfClosedConnection(boolean isStopping, String reason) throws IOException, InterruptedException {
        int port = listen(_ -> {
            stopping.set(isStopping);
            return new Api.ReadBody(10, _ -> new CompletableFuture<>());
        });
        try (RawClient client = new RawClient(port)) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n");
            awaitRequest();
        }
        assertAbandoned(reason);
    }

    @Test
    void logsRequestTimeout() throws IOException, InterruptedException {
        deadlines = new Deadlines(LONG, LONG, Duration.ofMillis(100));
        int port = listen(_ -> new Api.ReadBody(10, _ -> new CompletableFuture<>()));
        try (RawClient client = new RawClient(port)) {
            assertThat(receive(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")).isEmpty();
        }
        assertAbandoned("not complete within --request-timeout");
    }

    /// At once, and on the event loop after a wait: in the decision, in the operation, and in the response.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void endsRequestAndLogsDefect(int defect) throws IOException, InterruptedException {
        RuntimeException thrown = new IllegalStateException("of the test");
        Api.Next broken = new Api.ReadBody(10, _ -> {
            throw thrown;
        });
        CompletableFuture<Api.Decision> late = new CompletableFuture<>();
        int port = listen(_ -> switch (defect) {
            case 0 -> throw thrown;
            case 1 -> broken;
            case 2, 3 -> new Api.AwaitKey(late);
            case 4 -> new Api.Await(CompletableFuture.failedFuture(thrown));
            default -> new Api.ReadBody(10, _ -> CompletableFuture.failedFuture(thrown));
        });
        try (LogLines errors = new LogLines(Exchange.class.getName()); RawClient client = new RawClient(port)) {
            client.send(GET);
            awaitRequest();
            if (defect == 2) {
                late.complete(decision(broken));
            } else {
                late.completeExceptionally(thrown);
            }
            assertThat(client.socket().getInputStream().readAllBytes()).isEmpty();
            assertAbandoned("internal error");
            assertThat(errors.with("")).singleElement().asString().matches("request .+ failed");
        }
    }

    /// Each response is larger than the socket buffers, so that a slice waits in the process, in 20 KB of memory off-heap. An event loop
    /// that ended before its connections never frees theirs.
    @Test
    void abortsUnreadConnectionsUntilMemoryIsEnough() throws IOException {
        mostOffHeapBytes = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() + 40_000;
        int port = listen(head -> new Api.Respond(text("a".repeat(head.path().equals("/long") ? LARGE : 1))));
        try (RawClient reading = new RawClient(port);
                RawClient first = new RawClient(port);
                RawClient second = new RawClient(port);
                RawClient third = new RawClient(port)) {
            for (RawClient idle : List.of(first, second, third)) {
                idle.send(GET.replace(" / ", " /long "));
            }
            await().atMost(Duration.ofMillis(PATIENCE_MS))
                    .until(() -> meters.get("petstore.refused.connections").counter().count() > 0);
            assertThat(receive(reading, GET_AND_CLOSE)).endsWith("\r\n\r\na");
            assertThat(meters.get("petstore.connections").tag("state", "active").gauge().value()).isPositive();
        }
    }

    @Test
    void refusesIncompleteRequestsWhileMemoryIsShort() throws IOException {
        int port = listen(head -> head.method().equals("POST")
                ? new Api.ReadBody(10, _ -> new CompletableFuture<>())
                : new Api.Respond(text("a")));
        try (RawClient ofBody = new RawClient(port); RawClient ofHead = new RawClient(port)) {
            for (RawClient client : List.of(ofBody, ofHead)) {
                assertThat(client.send(GET).response()).isPresent();
            }
            memoryIsShort.set(true);
            ofBody.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
            assertThat(ofBody.response().orElseThrow().status()).isEqualTo(503);
            assertThat(meters.get("petstore.refused.connections").counter().count()).isZero();
            ofHead.send(GET.substring(0, 5));
            assertThat(ofHead.socket().getInputStream().read()).isEqualTo(-1);
            assertThat(meters.get("petstore.refused.connections").counter().count()).isOne();
        }
    }

    /// The API may need them to decide whether it adds an animal.
    @Test
    void keepsFieldsWhileApiWorksAfterRequestTimeout() throws IOException {
        deadlines = new Deadlines(LONG, LONG, Duration.ofMillis(100));
        List<RequestHead> heads = new CopyOnWriteArrayList<>();
        CompletableFuture<Response> late = new CompletableFuture<>();
        int port = listen(head -> {
            heads.add(head);
            return new Api.Await(late);
        });
        try (RawClient client = new RawClient(port)) {
            assertThat(receive(client, GET_AND_CLOSE.replace("Host", "If-Match: \"a\"\r\nHost")))
                    .startsWith("HTTP/1.1 503");
            assertThat(heads.getFirst().headers().first("If-Match")).isEqualTo("\"a\"");
        }
    }

    /// The input comes after a pause, so that it is not read together with the request.
    @Test
    void stopsReadingWhileResponseIsDue() throws IOException, InterruptedException {
        int port = listen(_ -> new Api.Await(new CompletableFuture<>()));
        try (SocketChannel client = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            client.write(ByteBuffer.wrap(GET.getBytes(StandardCharsets.US_ASCII)));
            awaitRequest();
            client.configureBlocking(false);
            long sent = 0;
            for (int idle = 0; idle < 50 && sent <= LARGE * 4L; idle++) {
                int more = client.write(ByteBuffer.allocate(64 * 1024));
                sent += more;
                if (more == 0) {
                    TimeUnit.MILLISECONDS.sleep(10);
                } else {
                    idle = 0;
                }
            }
            assertThat(sent).isLessThan(LARGE * 4L);
        }
    }

    @Test
    void limitsUnwantedBodyWhileResponseIsDue() throws IOException {
        int port = listen(_ -> new Api.Await(new CompletableFuture<>()));
        try (RawClient client = new RawClient(port)) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            byte[] chunk = ("10000\r\n" + "x".repeat(0x10000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            assertThatIOException().isThrownBy(() -> {
                for (int sent = 0; sent < 4 * LARGE; sent += chunk.length) {
                    client.send(chunk);
                }
            });
        }
    }

    /// A stream is not read while its key is. Its body fills the window of the connection until the 503, or until the client resets it.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsOtherStreamsBesideOneThatWaitsForItsKey(boolean resets, @TempDir Path folder) throws IOException {
        deadlines = new Deadlines(LONG, LONG, resets ? LONG : Duration.ofSeconds(1));
        tls = Optional.of(new Tls(new CertificateFiles(TestCertificate.ec().write(folder)), LONG, Runnable::run));
        int port = listen(head -> switch (head.path()) {
            case "/held" -> new Api.AwaitKey(new CompletableFuture<>());
            case "/read" -> new Api.ReadBody(WINDOW,
                    body -> CompletableFuture.completedFuture(text("a".repeat(body.length))));
            default -> new Api.Respond(text("a"));
        });
        try (RawHttp2Client client = new RawHttp2Client(port).begin()) {
            client.request(1, false, stream("POST", "/held"));
            send(client, 1);
            client.request(3, true, stream("GET", "/"));
            Frame other = client.await(RawHttp2Client.HEADERS).orElseThrow();
            assertThat(other.stream()).isEqualTo(3);
            assertThat(other.status()).isEqualTo(200);
            if (resets) {
                client.send(RawHttp2Client.RST_STREAM, 0, 1, new byte[]{0, 0, 0, 8});
            } else {
                Frame late = client.await(RawHttp2Client.HEADERS).orElseThrow();
                assertThat(late.stream()).isEqualTo(1);
                assertThat(late.status()).isEqualTo(503);
            }
            int window = 0;
            while (window < WINDOW) {
                Frame wider = client.await(RawHttp2Client.WINDOW_UPDATE, RawHttp2Client.GOAWAY).orElseThrow();
                assertThat(wider.type()).as("WINDOW_UPDATE").isEqualTo(RawHttp2Client.WINDOW_UPDATE);
                window += wider.stream() == 0 ? wider.payload().getInt(0) : 0;
            }
            client.request(5, false, stream("POST", "/read"));
            send(client, 5);
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM).orElseThrow().status())
                    .isEqualTo(200);
        }
    }

    /// The stream is not read then, and the body waits off-heap.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void freesBodyThatWaitsForItsKeyWhenClientGoes(boolean resets, @TempDir Path folder) throws IOException {
        tls = Optional.of(new Tls(new CertificateFiles(TestCertificate.ec().write(folder)), LONG, Runnable::run));
        int port = listen(head -> head.path().equals("/held")
                ? new Api.AwaitKey(new CompletableFuture<>())
                : new Api.Respond(text("a")));
        long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
        try (RawHttp2Client client = new RawHttp2Client(port).begin()) {
            client.request(1, false, stream("POST", "/held"));
            send(client, 1);
            if (resets) {
                client.send(RawHttp2Client.RST_STREAM, 0, 1, new byte[]{0, 0, 0, 8});
            }
            client.request(3, true, stream("GET", "/"));
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().stream()).isEqualTo(3);
            assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory()).isGreaterThanOrEqualTo(before + WINDOW);
        }
        await().atMost(Duration.ofMillis(PATIENCE_MS))
                .until(() -> PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() <= before);
    }

    /// The handshake waits for a thread, and the input behind it for the handshake.
    @Test
    void limitsInputDuringHandshake(@TempDir Path folder) throws Exception {
        tls = Optional.of(new Tls(new CertificateFiles(TestCertificate.ec().write(folder)), LONG, _ -> {
        }));
        int port = listen(_ -> new Api.Respond(text("a")));
        SSLEngine engine = TestCertificate.trustingAll().createSSLEngine("localhost", port);
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        byte[] record = ByteBuffer.allocate(FRAME).put(new byte[]{22, 3, 3}).putShort((short) (FRAME - 5)).array();
        try (RawClient client = new RawClient(port)) {
            client.send(Arrays.copyOf(hello.array(), hello.position()));
            assertThatIOException().isThrownBy(() -> {
                for (int sent = 0; sent < 4 * LARGE; sent += FRAME) {
                    client.send(record);
                }
            });
        }
    }

    /// A client that goes away has sent no request: there is neither a response nor a line in the log.
    @Test
    void ignoresPartOfHeadAtEndOfInput() throws IOException {
        int port = listen(_ -> new Api.Respond(text("a")));
        try (RawClient client = new RawClient(port)) {
            client.send(GET.substring(0, GET.length() - 4));
            client.socket().shutdownOutput();
            assertThat(client.socket().getInputStream().readAllBytes()).isEmpty();
        }
        // The event loop closes the connection in one turn, and the handlers learn it in the next.
        for (int turn = 0; turn < 2; turn++) {
            loops.submit(() -> {
            }).syncUninterruptibly();
        }
        assertThat(log).isEmpty();
    }

    private static String[] stream(String method, String path) {
        return new String[]{":method", method, ":scheme", "https", ":path", path, ":authority", "x"};
    }

    /// Sends a body that fills the window.
    private static void send(RawHttp2Client client, int stream) throws IOException {
        for (int left = WINDOW; left > 0; left -= FRAME) {
            client.send(RawHttp2Client.DATA, left <= FRAME ? RawHttp2Client.END_STREAM : 0, stream,
                    new byte[Math.min(left, FRAME)]);
        }
    }

    private void awaitRequest() {
        await().until(() -> !log.isEmpty() || meters.get("http.server.active_requests").gauge().value() > 0);
    }

    private void assertAbandoned(String reason) throws InterruptedException {
        FinishedRequest request = log.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(request).isNotNull().matches(known -> known.status() == 0);
        await().untilAsserted(
                () -> assertThat(meters.get("petstore.abandoned.requests").counter().count()).isOne());
        assertThat(request.reason()).contains(reason);
    }

    private static Response text(String body) {
        return Response.ok("text/plain", body.getBytes(StandardCharsets.US_ASCII));
    }

    /// Sends the requests at once. Returns all bytes that the client receives until the connection is closed.
    private static String receive(RawClient client, String requests) throws IOException {
        return new String(client.send(requests).socket().getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    private int listen(Function<RequestHead, Api.Next> api) {
        return listen(_ -> {
        }, api);
    }

    private int listen(Consumer<Channel> opened, Function<RequestHead, Api.Next> api) {
        EventLoop loop = loops.next();
        Map<EventLoop, Connections> all = new ConcurrentHashMap<>();
        ListenerContext listener = new ListenerContext(new TestedApi(api), telemetry, Clock.systemUTC(),
                stopping, deadlines, new TrustedProxies(List.of(), "none"),
                ConnectionLimit.of("api", 10, memoryIsShort::get, mostOffHeapBytes, meters));
        all.put(loop, new Connections(loop, listener, all.values()));
        Channel listening = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Pipeline(all, listener, tls));
                        opened.accept(channel);
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel();
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private static Api.Decision decision(Api.Next next) {
        return new Api.Decision(Api.NO_ROUTE, Api.NO_KEY, List.of(), next);
    }

    private record TestedApi(Function<RequestHead, Next> next) implements Api {

        @Override
        public Decision decide(RequestHead head) {
            return decision(next.apply(head));
        }

        @Override
        public Decision refuse(RequestHead head, Response refusal) {
            throw new AssertionError(refusal);
        }
    }

    /// Fails to write the last byte of the first response, like an encoder without memory.
    private static final class FailingWrite extends ChannelOutboundHandlerAdapter {

        static void install(Channel connection) {
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
