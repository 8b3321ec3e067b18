package petstore.http.telemetry;

import java.util.Set;

import io.vertx.core.http.HttpMethod;

/// What the methods of requests are called where operators read of them.
final class Methods {

    /// What all methods are called that HTTP does not have, as in OpenTelemetry's HTTP conventions: clients choose their names, and
    /// may send anything there, even a key.
    static final String OTHER = "_OTHER";

    private static final Set<String> KNOWN = Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS",
            "TRACE", "PATCH");

    private Methods() {
    }

    static String name(HttpMethod method) {
        String name = method.name();
        return KNOWN.contains(name) ? name : OTHER;
    }
}
