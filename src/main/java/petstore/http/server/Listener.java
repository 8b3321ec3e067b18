package petstore.http.server;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.server.tls.Tls;
import petstore.http.telemetry.Telemetry;

/// One event loop's share of a listener: its connections, and each of their requests as an [Exchange].
final class Listener extends VerticleBase {

    /// The time that requests in flight have to finish.
    static final Duration STOPPING = Duration.ofSeconds(20);

    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final int MAX_REQUEST_LINE_BYTES = 4 * 1024;

    private final SocketAddress address;
    private final Api api;
    private final Optional<Tls> tls;
    private final Connections connections;
    private final Telemetry telemetry;
    private final Clock clock;
    private final Consumer<HttpServer> opened;
    // Vert.x's handlers for web sockets close a connection with many pipelined requests. Without strict threads, a connection has
    // a queue of 5 KB for the writes of other threads.
    private final HttpServerOptions options = new HttpServerOptions().setHttp2ClearTextEnabled(false)
            .setStrictThreadMode(true).setPerMessageWebSocketCompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false)
            .setMaxHeaderSize(MAX_HEADER_BYTES).setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES);
    private @Nullable HttpServer server;
    private long dateSecond;
    private Header date = Header.of("date", "");

    /// @param address the address; event loops with the same one share its port
    /// @param opened called with the server once it listens
    Listener(SocketAddress address, Api api, Optional<Tls> tls, Connections connections,
            Telemetry telemetry, Clock clock, Consumer<HttpServer> opened) {
        this.address = address;
        this.api = api;
        this.tls = tls;
        this.connections = connections;
        this.telemetry = telemetry;
        this.clock = clock;
        this.opened = opened;
    }

    @Override
    public Future<?> start() {
        vertx.setPeriodic(connections.sweepIntervalMs(), _ -> connections.sweep());
        tls.ifPresent(on -> on.applyTo(options, MAX_HEADER_BYTES));
        connections.joined(((ContextInternal) context).nettyEventLoop());
        HttpServer opening = vertx.createHttpServer(options);
        server = opening;
        return opening.connectionHandler(this::connected)
                .requestHandler(request -> begin(exchange(request)))
                .invalidRequestHandler(
                        request -> exchange(request).refuse(api, HeadCheck.refusal(request.decoderResult().cause())))
                .listen(address).onSuccess(opened::accept);
    }

    /// Waits for the requests in flight.
    @Override
    public Future<?> stop() {
        return server == null ? Future.succeededFuture() : server.shutdown(STOPPING);
    }

    private void begin(Exchange exchange) {
        Optional<Response> refusal = exchange.request().version() == HttpVersion.HTTP_2
                ? Http2HeadCheck.refusal(exchange.request(), MAX_REQUEST_LINE_BYTES)
                : Optional.empty();
        if (refusal.isPresent()) {
            exchange.refuse(api, refusal.get());
        } else {
            exchange.begin(api);
        }
    }

    private Exchange exchange(HttpServerRequest request) {
        return new Exchange(request, context, connections, telemetry, clock.millis(), this::date);
    }

    private void connected(HttpConnection connection) {
        ChannelHandlerContext vertx = ((HttpServerConnection) connection).channelHandlerContext();
        connections.opened(vertx);
        if (vertx.handler() instanceof Http2ConnectionHandler http2) {
            ConnectionWatch watch = vertx.pipeline().get(ConnectionWatch.class);
            http2.decoder().frameListener(new Http2HeadCheck(http2, () -> refusedByNetty(watch)));
        } else {
            vertx.pipeline().addBefore(vertx.name(), null, new HeadCheck());
            vertx.pipeline().replace(HttpResponseEncoder.class, "responses", new ResponseEncoder());
        }
    }

    /// Reports a request whose header block is too long.
    private void refusedByNetty(@Nullable ConnectionWatch watch) {
        HeaderFields unread = new VertxHeaders(HttpHeaders.headers());
        RequestHead head = new RequestHead("", "", null, unread, watch == null ? "-" : watch.client(unread),
                telemetry.requestId(null), clock.millis());
        new RequestRecord(head, this::date, telemetry).finish(Optional.of(new Response(431, List.of(), new byte[0],
                HeadCheck.refusal(new TooLongHttpHeaderException()).refusal())));
    }

    /// Returns the `Date` of a response that begins now.
    private Header date() {
        long second = Math.floorDiv(clock.millis(), 1_000);
        if (second != dateSecond) {
            dateSecond = second;
            date = Header.of("date", DateFormatter.format(Date.from(Instant.ofEpochSecond(second))));
        }
        return date;
    }
}
