package petstore.http;

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

/// The life of a request: route, key, share, scope, then body and operation.
public final class Dispatcher implements Api {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /// The longest body, in bytes.
    private static final int MAX_BODY_BYTES = 64 * 1024;
    private static final byte[] NO_BODY = {};

    private final Routes routes;
    private final Bearer bearer;
    private final RateLimits limits;
    private final Telemetry telemetry;
    private final Optional<BrowserPolicy> browsers;

    /// @param browsers absent if browsers need no headers
    public Dispatcher(Routes routes, Bearer bearer, RateLimits limits, Telemetry telemetry,
            Optional<BrowserPolicy> browsers) {
        this.routes = routes;
        this.bearer = bearer;
        this.limits = limits;
        this.telemetry = telemetry;
        this.browsers = browsers;
    }

    @Override
    public Begun begin(RequestHead head) {
        Optional<Routes.Match> found = routes.find(head.method(), head.path());
        Optional<Route> route = found.map(Routes.Match::route).or(() -> routes.at(head.path()));
        return new Begun(route.map(Route::path).orElse(NO_ROUTE),
                found.isPresent() && found.get().route().isDeprecated(),
                browserHeaders(head), judge(head, found));
    }

    @Override
    public Begun refuse(RequestHead head, Response refusal) {
        return new Begun(NO_ROUTE, false, browserHeaders(head), decided(refusal));
    }

    private List<Header> browserHeaders(RequestHead head) {
        return browsers.isPresent() ? browsers.get().headers(head) : List.of();
    }

    private CompletableFuture<Decision> judge(RequestHead head, Optional<Routes.Match> found) {
        try {
            Optional<Response> preflight = browsers.flatMap(policy -> policy.preflight(head));
            if (preflight.isPresent()) {
                return decided(preflight.get());
            }
            if (!Routes.needsKey(head.path())) {
                return CompletableFuture.completedFuture(
                        admit(head, found, Optional.empty(), RateLimits.Share.UNLIMITED));
            }
            return switch (bearer.judge(head.headers().all("Authorization"))) {
                case Bearer.Decided verdict -> CompletableFuture.completedFuture(decide(head, found, verdict));
                case Bearer.Undecided(var token) -> bearer.lookUp(token)
                        .thenApply(verdict -> decide(head, found, verdict)).exceptionally(failure -> new Decision(
                                NO_KEY, routeHeaders(found), new Respond(response(head, failure))));
            };
        } catch (Exception | Error e) {
            return decided(response(head, e));
        }
    }

    private static CompletableFuture<Decision> decided(Response response) {
        return CompletableFuture.completedFuture(new Decision(NO_KEY, List.of(), new Respond(response)));
    }

    private static List<Header> routeHeaders(Optional<Routes.Match> found) {
        return found.map(match -> match.route().headers()).orElse(List.of());
    }

    private Decision decide(RequestHead head, Optional<Routes.Match> found, Bearer.Decided verdict) {
        return switch (verdict) {
            case Bearer.Accepted(var key) -> admit(head, found, Optional.of(key), limits.take(key));
            case Bearer.Refused(var refusal) -> {
                telemetry.refused(head, path(head, found), NO_KEY, refusal.status());
                yield new Decision(NO_KEY, List.of(), new Respond(refusal));
            }
        };
    }

    private String path(RequestHead head, Optional<Routes.Match> found) {
        return found.map(Routes.Match::route).or(() -> routes.at(head.path())).map(Route::path).orElse(NO_ROUTE);
    }

    private Decision admit(RequestHead head, Optional<Routes.Match> found, Optional<ApiKey> key,
            RateLimits.Share share) {
        String keyId = key.isPresent() ? key.get().id() : NO_KEY;
        List<Header> headers = share.headersWith(routeHeaders(found));
        return new Decision(keyId, headers, next(head, found, key, share));
    }

    private Next next(RequestHead head, Optional<Routes.Match> found, Optional<ApiKey> key, RateLimits.Share share) {
        if (share.refusal().isPresent()) {
            return new Respond(share.refusal().get());
        }
        if (found.isEmpty()) {
            return new Respond(routes.refusal(head.path()));
        }
        Route route = found.get().route();
        Optional<Scope> missing = route.scope()
                .filter(scope -> !key.map(ApiKey::scopes).orElseThrow().contains(scope));
        if (missing.isPresent()) {
            Response refusal = Bearer.forbidden(missing.get());
            telemetry.refused(head, route.path(), key.map(ApiKey::id).orElse(NO_KEY), refusal.status());
            return new Respond(refusal);
        }
        if (!route.readsBody()) {
            return new Await(operate(head, found.get(), key, NO_BODY));
        }
        Optional<Failure> refusal = MediaType.refusal(head.headers());
        return refusal.isPresent()
                ? new Respond(Errors.response(refusal.get()))
                : new ReadBody(MAX_BODY_BYTES, body -> operate(head, found.get(), key, body));
    }

    private static CompletableFuture<Response> operate(RequestHead head, Routes.Match match, Optional<ApiKey> key,
            byte[] body) {
        try {
            CompletableFuture<Response> response = match.route().operation()
                    .respondTo(new Request(head, match.parameter(), key, body));
            return response.state() == Future.State.SUCCESS
                    ? response
                    : response.exceptionally(failure -> response(head, failure));
        } catch (Exception | Error e) {
            return CompletableFuture.completedFuture(response(head, e));
        }
    }

    /// Returns the response to a failure. The cause of a defect stays in the log, under the request id.
    private static Response response(RequestHead head, Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
        if (cause instanceof Failure failure && failure.kind() != Kind.INTERNAL_ERROR) {
            return Errors.response(failure);
        }
        LOG.error("Request {} failed", head.id(), cause);
        return Errors.response(Kind.INTERNAL_ERROR, "internal error; see request " + head.id() + " in the log");
    }
}
