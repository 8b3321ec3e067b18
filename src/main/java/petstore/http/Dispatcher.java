package petstore.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.Scope;
import petstore.http.access.Bearer;
import petstore.http.access.BrowserPolicy;
import petstore.http.access.RateLimits;
import petstore.http.message.Api;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Request;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.telemetry.Telemetry;

/// The API of a listener. Its methods stand in the order of a request: route, key, rate limit, scope, body, operation.
public record Dispatcher(Routes routes, Bearer bearer, RateLimits limits, Telemetry telemetry, BrowserPolicy browsers,
        UnavailabilityLog unavailability) implements Api {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private static final String VERSION = "/v1";
    private static final int MAX_BODY_BYTES = 64 * 1024;
    private static final byte[] NO_BODY = {};
    /// A cache that ignores `Cache-Control` must not give the response for one key to another client.
    private static final List<Header> BY_KEY = List.of(Header.of("Vary", "Authorization"));
    private static final Duration KEY_CHECKED_FOR = Duration.ofMillis(100);

    /// A request. It has no `match` if no route has both path and method.
    ///
    /// @param path the path in the route table
    /// @param ofKey headers of every response to a request that needs a key
    /// @param ofBrowser headers of every response for the browser
    private record Call(RequestHead head, String path, Optional<Routes.Match> match, List<Header> ofKey,
            List<Header> ofBrowser) {

        Decision decision(String keyId, List<Header> ofQuota, Next next) {
            List<Header> ofRoute = match.isPresent() ? match.get().route().headers() : List.of();
            return new Decision(path, keyId, Header.joined(ofQuota, ofRoute, ofKey, ofBrowser), next);
        }

        /// Returns the decision to send a response without the headers of the route.
        Decision respond(Next response) {
            return new Decision(path, NO_KEY, Header.joined(ofKey, ofBrowser), response);
        }
    }

    /// Returns true for every path under `/v1`, also an unknown one.
    static boolean needsKey(String path) {
        return path.equals(VERSION) || path.startsWith(VERSION + "/");
    }

    /// Finds the route, and answers a preflight.
    @Override
    public Decision decide(RequestHead head) {
        Optional<Routes.Match> match = routes.find(head.method(), head.path());
        String path = match.isPresent()
                ? match.get().route().path()
                : routes.at(head.path()).findFirst().map(Routes.Route::path).orElse(NO_ROUTE);
        boolean needsKey = needsKey(head.path());
        BrowserPolicy.Access access = browsers.access(head);
        Call call = new Call(head, path, match, needsKey ? BY_KEY : List.of(), access.headers());
        try {
            if (access.preflight().isPresent()) {
                return call.respond(unmetExpectation(head).orElse(new Respond(access.preflight().get())));
            }
            return needsKey
                    ? checkKey(call, bearer.authenticate(head.headers()))
                    : checkLimit(call, Optional.empty());
        } catch (Exception | Error e) {
            return call.respond(new Respond(response(head, e)));
        }
    }

    private Decision checkKey(Call call, Bearer.Authentication authentication) {
        return switch (authentication) {
            case Bearer.Accepted(var key) -> checkLimit(call, Optional.of(key));
            case Bearer.Refused(var refusal) -> call.respond(refuseAccess(call, NO_KEY, refusal));
            case Bearer.Pending(var later) -> call.decision(NO_KEY, List.of(),
                    new AwaitKey(later.thenApply(known -> checkKey(call, known))
                            .exceptionally(failure -> call.decision(NO_KEY, List.of(),
                                    new Respond(response(call.head(), failure))))));
        };
    }

    private Decision checkLimit(Call call, Optional<ApiKey> key) {
        RateLimits.Quota quota = key.isPresent() ? limits.take(key.get()) : RateLimits.Quota.UNLIMITED;
        String keyId = key.isPresent() ? key.get().id() : NO_KEY;
        return call.decision(keyId, quota.headers(),
                quota.refusal().isPresent() ? new Respond(quota.refusal().get()) : checkScope(call, key, keyId));
    }

    private Next checkScope(Call call, Optional<ApiKey> key, String keyId) {
        if (call.match().isEmpty()) {
            return new Respond(routes.refusal(call.head().path()));
        }
        Routes.Match match = call.match().get();
        Optional<Scope> missing = match.route().scope()
                .filter(scope -> !key.map(ApiKey::scopes).orElseThrow().contains(scope));
        return missing.isPresent()
                ? refuseAccess(call, keyId, Bearer.forbidden(missing.get()))
                : unmetExpectation(call.head()).orElseGet(() -> awaitBody(call, match, key));
    }

    /// Returns a 417 if the request has an unknown expectation (RFC 9110 section 10.1.1).
    private static Optional<Next> unmetExpectation(RequestHead head) {
        return head.headers().elements("Expect").stream().allMatch("100-continue"::equalsIgnoreCase)
                ? Optional.empty()
                : Optional.of(new RespondLast(
                        Errors.response(Kind.EXPECTATION_FAILED, "the only expectation in Expect is 100-continue")));
    }

    private Next awaitBody(Call call, Routes.Match match, Optional<ApiKey> key) {
        // Only the routes of POST read a body.
        if (!match.route().method().equals("POST")) {
            return new Await(operate(call.head(), match, key, NO_BODY));
        }
        Optional<Response> refusal = MediaType.refusal(call.head().headers());
        if (refusal.isPresent()) {
            return new Respond(refusal.get());
        }
        long checkedNs = System.nanoTime();
        return new ReadBody(MAX_BODY_BYTES,
                body -> key.isEmpty() || System.nanoTime() - checkedNs < KEY_CHECKED_FOR.toNanos()
                        ? operate(call.head(), match, key, body)
                        : checkKeyAgain(call, match, body, bearer.authenticate(call.head().headers())));
    }

    /// Operates on a body that took long, so that the key may have been revoked since the head of the request.
    private CompletableFuture<Response> checkKeyAgain(Call call, Routes.Match match, byte[] body,
            Bearer.Authentication authentication) {
        return switch (authentication) {
            case Bearer.Accepted(var key) -> operate(call.head(), match, Optional.of(key), body);
            case Bearer.Refused(var refusal) ->
                CompletableFuture.completedFuture(refuseAccess(call, NO_KEY, refusal).response());
            case Bearer.Pending(var later) -> later.thenCompose(known -> checkKeyAgain(call, match, body, known))
                    .exceptionally(failure -> response(call.head(), failure));
        };
    }

    private CompletableFuture<Response> operate(RequestHead head, Routes.Match match, Optional<ApiKey> key,
            byte[] body) {
        try {
            CompletableFuture<Response> response = match.route().operation()
                    .apply(new Request(head, match.parameter(), key, body));
            return response.state() == Future.State.SUCCESS
                    ? response
                    : response.exceptionally(failure -> response(head, failure));
        } catch (Exception | Error e) {
            return CompletableFuture.completedFuture(response(head, e));
        }
    }

    @Override
    public Decision refuse(RequestHead head, Response refusal) {
        return new Decision(NO_ROUTE, NO_KEY, browsers.access(head).headers(), new Respond(refusal));
    }

    /// Reports a refusal by key or scope to telemetry.
    private Respond refuseAccess(Call call, String keyId, Response refusal) {
        telemetry.refused(call.head(), call.path(), keyId, refusal);
        return new Respond(refusal);
    }

    /// Returns the response to a failure. The cause of a defect stays in the log, under the request id.
    private Response response(RequestHead head, Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
        Throwable known = cause instanceof OutOfMemoryError noThread ? Failure.noThread(noThread) : cause;
        if (known instanceof Failure failure && failure.kind() != Kind.INTERNAL_ERROR) {
            unavailability.log(head, failure);
            return Errors.response(failure);
        }
        LOG.error("request {} failed", head.id(), cause);
        return Errors.response(Kind.INTERNAL_ERROR, "internal error; see request " + head.id() + " in the log");
    }
}
