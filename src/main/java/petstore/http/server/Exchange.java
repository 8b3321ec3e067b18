package petstore.http.server;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import io.netty.util.AsciiString;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import petstore.ApiKey;
import petstore.http.Route;
import petstore.http.message.Answer;
import petstore.http.message.Header;
import petstore.http.message.RequestId;
import petstore.http.telemetry.Telemetry;

/// One request and the one answer to it. Confined to the request's event loop.
public final class Exchange {

    /// What stands for the id of a key where there is none.
    public static final String NO_KEY = "-";

    private static final Header NO_SNIFF = Header.of("X-Content-Type-Options", "nosniff");
    /// How many header fields a request may have that are kept until its answer has gone.
    private static final int USUAL_FIELDS = 32;

    /// How far it has come.
    private enum Stage {
        /// Its event loop reads it, or decides what becomes of it.
        READING,
        /// The service works on the answer elsewhere.
        WORKING,
        /// The answer is there, and the client has not taken all of it.
        SENDING,
        /// The answer has gone, or nobody is there to take it.
        SENT
    }

    private final HttpServerRequest request;
    private final Context context;
    private final Connections connections;
    private final @Nullable ConnectionWatch watch;
    private final Telemetry telemetry;
    private final long beganMillis;
    private final Header date;
    private final String id;
    private final long beganNanos = System.nanoTime();
    private final boolean multiplexed;
    private final boolean announcesBody;
    private final Optional<SpanContext> parent;
    private List<Header> browserHeaders = List.of();
    private List<Header> routeHeaders = List.of();
    private boolean paused;
    private Stage stage = Stage.READING;
    private boolean ended;
    private boolean streamClosed;
    private String route = "unmatched";
    private boolean deprecated;
    private String keyId = NO_KEY;

    /// @param beganMillis when its header block had come, in milliseconds since 1970
    /// @param date the same, for the answer
    Exchange(HttpServerRequest request, Context context, Connections connections, Telemetry telemetry,
            long beganMillis, Header date) {
        this.request = request;
        this.context = context;
        this.connections = connections;
        this.telemetry = telemetry;
        this.beganMillis = beganMillis;
        this.date = date;
        this.id = RequestId.of(request.getHeader(RequestId.FIELD));
        this.multiplexed = request.version() == HttpVersion.HTTP_2;
        this.announcesBody = !multiplexed && (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || request.headers().contains(HttpHeaders.CONTENT_LENGTH));
        this.watch = connections.began(this);
        this.parent = telemetry.began(request.headers());
        if (watch == null) {
            // Its connection had been closed before it was its turn.
            gaveUp();
        } else if (multiplexed) {
            request.response().closeHandler(_ -> streamClosed());
        }
    }

    /// Whether it shares its connection with others (HTTP/2), which go on whatever becomes of it.
    public boolean isMultiplexed() {
        return multiplexed;
    }

    public HttpServerRequest request() {
        return request;
    }

    /// What the client and the log call this request.
    public String id() {
        return id;
    }

    /// Says which line of the route table has its path, though maybe for another method.
    public void route(Route found) {
        route = found.path();
        deprecated = found.isDeprecated() && found.takes(request.method());
    }

    /// What its trace belongs to; absent when its sender named none.
    public Optional<SpanContext> parent() {
        return parent;
    }

    /// The path as the route table has it; `unmatched` when it does not.
    public String route() {
        return route;
    }

    public boolean isDeprecated() {
        return deprecated;
    }

    /// Says which key it came with.
    public void key(ApiKey good) {
        keyId = good.id();
    }

    /// The id of the good key that it came with; [#NO_KEY] when it came with none.
    public String keyId() {
        return keyId;
    }

    /// When its header block had come, in milliseconds since 1970.
    public long beganMillis() {
        return beganMillis;
    }

    /// When its header block had come, by [System#nanoTime].
    public long beganNanos() {
        return beganNanos;
    }

    /// Takes in no more of the body until [#unpause].
    public void pause() {
        paused = true;
        request.pause();
    }

    /// Takes in the body again. Vert.x minds being told so twice when all of it has come.
    public void unpause() {
        if (paused) {
            paused = false;
            request.resume();
        }
    }

    /// Leaves the event loop to work on the answer, until [#resume].
    public void suspend() {
        if (stage == Stage.READING) {
            stage = Stage.WORKING;
        }
    }

    /// Runs `step` on the event loop, from any thread, unless it has been answered meanwhile.
    public void resume(Runnable step) {
        context.runOnContext(_ -> {
            if (stage == Stage.WORKING) {
                stage = Stage.READING;
                step.run();
            }
        });
    }

    /// Whether the service is still working on the answer.
    boolean isWorking() {
        return stage == Stage.WORKING;
    }

    /// Whether the answer is ready and the client has not taken it yet.
    boolean isSending() {
        return stage == Stage.SENDING;
    }

    /// Whether the body has come and the answer has gone.
    boolean isDone() {
        return streamClosed || (stage == Stage.SENT && hasEnded());
    }

    /// Whether all of the body has come.
    private boolean hasEnded() {
        return (!multiplexed && !announcesBody) || request.isEnded();
    }

    /// Sets what the answer says to browsers, whatever it will be.
    public void browserHeaders(List<Header> headers) {
        browserHeaders = headers;
    }

    /// Sets what the answer says of its route and its key's share, whatever it will be, in place of what was set before.
    public void routeHeaders(List<Header> headers) {
        routeHeaders = headers;
    }

    /// Sends the answer, with HTTP/1.1 once the client has taken those before it. What has not come of the body yet is read and
    /// dropped.
    public void send(Answer answer) {
        HttpServerResponse response = request.response();
        if (stage == Stage.SENDING || stage == Stage.SENT || response.closed()) {
            return;
        }
        stage = Stage.SENDING;
        if (hasManyFields()) {
            // The client may not take the answer for long; what it has asked is of no use any more.
            request.headers().clear();
        }
        MultiMap headers = response.setStatusCode(answer.status()).headers();
        add(answer.headers(), headers);
        add(routeHeaders, headers);
        add(browserHeaders, headers);
        headers.add(RequestId.FIELD, new AsciiString(id.getBytes(StandardCharsets.US_ASCII), false))
                .add(date.name(), date.value())
                .add(NO_SNIFF.name(), NO_SNIFF.value());
        if (connections.isStopping() && !multiplexed) {
            headers.set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        if (!hasEnded()) {
            RequestBody.drop(request, this::cut, () -> advanced(System.nanoTime()));
        }
        unpause();
        if (!multiplexed && response.writeQueueFull()) {
            response.drainHandler(_ -> {
                // It would be called again when a part of this answer has been taken.
                response.drainHandler(null);
                end(response, answer);
            });
        } else {
            end(response, answer);
        }
    }

    /// The headers' own `size()` would sort their names, for every request.
    private boolean hasManyFields() {
        int fields = 0;
        for (var _ : request.headers()) {
            fields++;
        }
        return fields > USUAL_FIELDS;
    }

    private void end(HttpServerResponse response, Answer answer) {
        if (response.ended() || response.closed()) {
            return;
        }
        boolean bodyless = request.method().equals(HttpMethod.HEAD);
        Future<Void> sending = bodyless ? response.end() : answer.endWithBody(response);
        sending.onComplete(done -> {
            long now = System.nanoTime();
            stage = Stage.SENT;
            if (done.failed()) {
                gaveUp();
                if (!multiplexed) {
                    // Whoever waits for this answer must not take the next one for it.
                    cut();
                }
            } else if (!ended) {
                ended = true;
                telemetry.answered(this, answer, bodyless ? 0 : answer.body().length(), now);
            }
            advanced(now);
        });
    }

    private static void add(List<Header> more, MultiMap headers) {
        for (Header header : more) {
            headers.add(header.name(), header.value());
        }
    }

    private void advanced(long now) {
        if (watch != null) {
            watch.advanced(this, now);
        }
    }

    /// The connection, or the stream of HTTP/2, has ended: because one side gave it up, or with the answer. Whether an answer that
    /// was handed over has gone is told later.
    void closed() {
        if (!request.response().ended()) {
            gaveUp();
        }
    }

    private void gaveUp() {
        if (!ended) {
            ended = true;
            telemetry.abandoned(this);
        }
    }

    private void streamClosed() {
        streamClosed = true;
        closed();
        advanced(System.nanoTime());
        // Of an answer that waited behind others Vert.x tells nothing any more.
        context.runOnContext(_ -> gaveUp());
    }

    /// Ends it where it stands, and with HTTP/1.1 its connection.
    void cut() {
        if (watch == null) {
            return;
        }
        if (multiplexed) {
            watch.reset(request.response().streamId());
        } else {
            watch.cut();
        }
    }

    /// Whether a body comes with the request, be it empty, whose end HTTP/1.1 may fail to find.
    public boolean announcesBody() {
        return announcesBody;
    }
}
