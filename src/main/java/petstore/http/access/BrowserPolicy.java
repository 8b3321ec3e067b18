package petstore.http.access;

import java.util.List;
import java.util.Optional;
import java.util.Set;

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

    /// The headers for browsers, and the response to a preflight.
    ///
    /// @param headers the headers of every response to the request
    /// @param preflight the response to a preflight request, which has no key; absent for other requests
    public record Access(List<Header> headers, Optional<Response> preflight) {
    }

    private final Set<String> origins;
    private final List<Header> tls;
    private final Access ofOtherOrigins;

    public BrowserPolicy(List<String> origins, boolean tls) {
        this.origins = Set.copyOf(origins);
        this.tls = tls ? List.of(HSTS) : List.of();
        this.ofOtherOrigins = new Access(Header.joined(origins.isEmpty() ? List.of() : List.of(VARY), this.tls),
                Optional.empty());
    }

    public Access access(RequestHead request) {
        String origin = origins.isEmpty() ? null : request.headers().first("Origin");
        if (origin == null || !origins.contains(origin)) {
            return ofOtherOrigins;
        }
        List<Header> cors = List.of(VARY, Header.of("Access-Control-Allow-Origin", origin), EXPOSE);
        boolean isPreflight = request.method().equals("OPTIONS")
                && request.headers().contains("Access-Control-Request-Method");
        return new Access(Header.joined(cors, tls), isPreflight ? Optional.of(PREFLIGHT) : Optional.empty());
    }
}
