package petstore.http.access;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;
import petstore.http.HttpSettings;
import petstore.http.message.Answer;
import petstore.http.message.Header;

/// What browsers are told beside the answer: which other sites' pages may read it (CORS, source: the Fetch standard), and that
/// the service is to be reached by TLS alone (HSTS, RFC 6797).
public final class Browsers {

    private static final Header VARY = Header.of("Vary", "Origin");
    private static final CharSequence ALLOW_ORIGIN = HttpHeaders.createOptimized("Access-Control-Allow-Origin");
    private static final CharSequence REQUESTED_METHOD = HttpHeaders.createOptimized("Access-Control-Request-Method");
    private static final Header EXPOSE = Header.of("Access-Control-Expose-Headers",
            "Allow, Link, Location, ETag, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, Idempotent-Replayed,"
                    + " WWW-Authenticate, X-Request-Id");
    private static final Header HSTS = Header.of("Strict-Transport-Security", "max-age=31536000");
    private static final Answer PREFLIGHT = Answer.bodiless(204,
            Header.of("Access-Control-Allow-Methods", "GET, HEAD, POST"),
            Header.of("Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent"),
            Header.of("Access-Control-Max-Age", "3600"), Answer.NO_STORE);

    private final Set<String> origins;
    private final List<Header> tls;

    private Browsers(HttpSettings settings) {
        this.origins = Set.copyOf(settings.corsOrigins());
        this.tls = settings.tls().isPresent() ? List.of(HSTS) : List.of();
    }

    /// Absent when there is nothing to tell them.
    public static Optional<Browsers> of(HttpSettings settings) {
        return settings.corsOrigins().isEmpty() && settings.tls().isEmpty()
                ? Optional.empty()
                : Optional.of(new Browsers(settings));
    }

    /// What the answer to a request carries, whatever it will be.
    public List<Header> headers(HttpServerRequest request) {
        if (origins.isEmpty()) {
            return tls;
        }
        String origin = origin(request);
        List<Header> cors = origin == null
                ? List.of(VARY)
                : List.of(VARY, Header.of(ALLOW_ORIGIN, origin), EXPOSE);
        return tls.isEmpty() ? cors : Stream.concat(cors.stream(), tls.stream()).toList();
    }

    /// The answer to a browser that asks, without a key, whether a page may send a request; absent for any other request.
    public Optional<Answer> preflight(HttpServerRequest request) {
        return request.method().equals(HttpMethod.OPTIONS) && origin(request) != null
                && request.headers().contains(REQUESTED_METHOD) ? Optional.of(PREFLIGHT) : Optional.empty();
    }

    /// The origin of the page that sends a request, if it may use the API.
    private @Nullable String origin(HttpServerRequest request) {
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        return origin != null && origins.contains(origin) ? origin : null;
    }
}
