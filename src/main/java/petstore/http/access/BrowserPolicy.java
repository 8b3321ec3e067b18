package petstore.http.access;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import petstore.http.message.Header;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;

/// Headers for browsers: the origins that may read a response (CORS, source: the Fetch standard), and TLS only (HSTS, RFC 6797).
public final class BrowserPolicy {

    private static final Header VARY = Header.of("Vary", "Origin");
    private static final Header EXPOSE = Header.of("Access-Control-Expose-Headers",
            "Accept-Encoding, Allow, Link, Location, ETag, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, Idempotent-Replayed,"
                    + " WWW-Authenticate, X-Request-Id");
    private static final Header HSTS = Header.of("Strict-Transport-Security", "max-age=31536000");
    private static final Response PREFLIGHT = Response.bodiless(204,
            Header.of("Access-Control-Allow-Methods", "GET, HEAD, POST"),
            Header.of("Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent, tracestate"),
            Header.of("Access-Control-Max-Age", "3600"), Response.NO_STORE);

    private final Set<String> origins;
    private final List<Header> tls;

    public BrowserPolicy(List<String> origins, boolean tls) {
        this.origins = Set.copyOf(origins);
        this.tls = tls ? List.of(HSTS) : List.of();
    }

    /// Returns the headers of every response to a request.
    public List<Header> headers(RequestHead request) {
        if (origins.isEmpty()) {
            return tls;
        }
        String origin = origin(request);
        List<Header> cors = origin == null
                ? List.of(VARY)
                : List.of(VARY, Header.of("Access-Control-Allow-Origin", origin), EXPOSE);
        return Header.joined(cors, tls);
    }

    /// Returns the response to a preflight request, which has no key; absent for other requests.
    public Optional<Response> preflight(RequestHead request) {
        return request.method().equals("OPTIONS") && origin(request) != null
                && request.headers().contains("Access-Control-Request-Method")
                        ? Optional.of(PREFLIGHT)
                        : Optional.empty();
    }

    /// Returns the origin of a request, if its pages may use the API; else null.
    private @Nullable String origin(RequestHead request) {
        String origin = request.headers().first("Origin");
        return origin != null && origins.contains(origin) ? origin : null;
    }
}
