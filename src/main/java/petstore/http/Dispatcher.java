package petstore.http;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.Scope;
import petstore.http.access.Bearer;
import petstore.http.access.Browsers;
import petstore.http.access.RateLimits;
import petstore.http.message.Answer;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Request;
import petstore.http.server.Exchange;
import petstore.http.server.RequestBody;
import petstore.http.telemetry.Telemetry;

/// The life of a request: bearer key, route, scope, body, operation, answer. All of it happens on the event loop and never waits:
/// the operation, and the look-up of a key that memory does not know, give futures.
public final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final Buffer NO_BODY = Buffer.buffer();
    private static final Header CLOSE = Header.of("Connection", "close");

    private final Routes routes;
    private final Bearer bearer;
    private final RateLimits limits;
    private final Telemetry telemetry;
    private final Optional<Browsers> browsers;

    /// @param browsers what they are told beside the answers; absent for nothing
    public Dispatcher(Routes routes, Bearer bearer, RateLimits limits, Telemetry telemetry,
            Optional<Browsers> browsers) {
        this.routes = routes;
        this.bearer = bearer;
        this.limits = limits;
        this.telemetry = telemetry;
        this.browsers = browsers;
    }

    /// Answers a request whose head is well-formed.
    public void dispatch(Exchange exchange) {
        run(exchange, () -> begin(exchange));
    }

    private void begin(Exchange exchange) {
        String path = path(exchange);
        Optional<Routes.Match> found = routes.find(exchange.request().method(), path);
        found.map(Routes.Match::route).or(() -> routes.at(path)).ifPresent(exchange::route);
        if (browsers.isPresent()) {
            exchange.browserHeaders(browsers.get().headers(exchange.request()));
            Optional<Answer> preflight = browsers.get().preflight(exchange.request());
            if (preflight.isPresent()) {
                exchange.send(preflight.get());
                return;
            }
        }
        if (exchange.announcesBody()) {
            exchange.request().exceptionHandler(_ -> refuse(exchange,
                    Errors.answer(Kind.INVALID_REQUEST, "the body is not well-formed HTTP")));
        }
        if (!Routes.needsKey(path)) {
            admit(exchange, found, Optional.empty(), RateLimits.Share.UNLIMITED);
            return;
        }
        switch (bearer.judge(exchange.request().headers().getAll(HttpHeaders.AUTHORIZATION))) {
            case Bearer.Undecided(var token) -> {
                found.ifPresent(match -> exchange.routeHeaders(match.route().headers()));
                exchange.pause();
                await(exchange, bearer.lookUp(token), verdict -> decide(exchange, found, verdict));
            }
            case Bearer.Decided verdict -> decide(exchange, found, verdict);
        }
    }

    /// Answers a request whose head is not.
    public void refuseMalformed(Exchange exchange) {
        Throwable cause = exchange.request().decoderResult().cause();
        refuse(exchange, switch (cause) {
            case Failure failure -> Errors.answer(failure);
            case TooLongHttpLineException _ -> Errors.answer(414, Kind.INVALID_REQUEST, "the request line is too long");
            case TooLongHttpHeaderException _ ->
                Errors.answer(431, Kind.INVALID_REQUEST, "the header block is too long");
            case null, default -> Errors.answer(Kind.INVALID_REQUEST, "the request is not well-formed HTTP");
        });
    }

    /// Answers a request whose head is wrong, or whose end nobody knows. Behind the answer to the latter, which only HTTP/1.1 has,
    /// Vert.x closes the connection.
    public void refuse(Exchange exchange, Answer answer) {
        browsers.ifPresent(told -> exchange.browserHeaders(told.headers(exchange.request())));
        exchange.send(exchange.isMultiplexed() ? answer : answer.with(List.of(CLOSE)));
    }

    private void decide(Exchange exchange, Optional<Routes.Match> found, Bearer.Decided verdict) {
        switch (verdict) {
            case Bearer.Accepted(var key) -> {
                exchange.key(key);
                admit(exchange, found, Optional.of(key), limits.take(key));
            }
            case Bearer.Refused(var answer) -> {
                telemetry.refused(exchange, answer.status());
                exchange.routeHeaders(List.of());
                exchange.send(answer);
            }
        }
    }

    private void admit(Exchange exchange, Optional<Routes.Match> found, Optional<ApiKey> key,
            RateLimits.Share share) {
        exchange.routeHeaders(share.headersWith(found.map(match -> match.route().headers()).orElse(List.of())));
        if (share.refusal().isPresent()) {
            exchange.send(share.refusal().get());
            return;
        }
        if (found.isEmpty()) {
            exchange.send(routes.refusal(path(exchange)));
            return;
        }
        Route route = found.get().route();
        Optional<Scope> missing = route.scope()
                .filter(scope -> !key.map(ApiKey::scopes).orElseThrow().contains(scope));
        if (missing.isPresent()) {
            Answer answer = Bearer.forbidden(missing.get());
            telemetry.refused(exchange, answer.status());
            exchange.send(answer);
        } else if (route.readsBody()) {
            RequestBody.read(exchange.request(),
                    body -> run(exchange, () -> operate(exchange, found.get(), key, body)),
                    failure -> exchange.send(Errors.answer(failure)));
            exchange.unpause();
        } else {
            operate(exchange, found.get(), key, NO_BODY);
        }
    }

    private void operate(Exchange exchange, Routes.Match match, Optional<ApiKey> key, Buffer body) {
        Request request = new Request(match.parameter(), exchange.request().query(), exchange.request().headers(),
                key, body);
        await(exchange, match.route().operation().answer(request), exchange::send);
    }

    /// Runs a step of a request. Anything that it throws, an [Error] too, is the answer.
    private static void run(Exchange exchange, Runnable step) {
        try {
            step.run();
        } catch (Exception | Error e) {
            exchange.send(answer(exchange, e));
        }
    }

    /// Goes on with a value when it is there, on the event loop; a failure is the answer. With a body the rest of what has come is
    /// looked at first: it may not be well-formed.
    private static <T> void await(Exchange exchange, CompletableFuture<T> coming, Consumer<T> next) {
        if (!exchange.announcesBody() && coming.state() == Future.State.SUCCESS) {
            next.accept(coming.resultNow());
            return;
        }
        exchange.suspend();
        var _ = coming.whenComplete((value, failure) -> exchange.resume(() -> {
            if (failure == null) {
                run(exchange, () -> next.accept(value));
            } else {
                exchange.send(answer(exchange, failure));
            }
        }));
    }

    /// Nothing about the cause of a defect leaves the process but the id under which the log has it.
    private static Answer answer(Exchange exchange, Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
        if (cause instanceof Failure failure && failure.kind() != Kind.INTERNAL_ERROR) {
            return Errors.answer(failure);
        }
        LOG.error("Request {} failed", exchange.id(), cause);
        return Errors.answer(Kind.INTERNAL_ERROR,
                "something went wrong here; the log has it as request " + exchange.id());
    }

    private static String path(Exchange exchange) {
        @Nullable
        String path = exchange.request().path();
        return path == null ? "" : path;
    }
}
