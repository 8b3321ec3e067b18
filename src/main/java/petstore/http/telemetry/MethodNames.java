package petstore.http.telemetry;

import java.util.Set;

/// HTTP method names for logs, metrics and traces.
final class MethodNames {

    /// Stands for every method that HTTP does not have, as in OpenTelemetry's HTTP conventions. Clients may send anything there, even
    /// a key.
    static final String OTHER = "_OTHER";

    private static final Set<String> KNOWN = Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS",
            "TRACE", "PATCH");

    private MethodNames() {
    }

    /// Returns the name of a request's method; [#OTHER] if HTTP does not have it.
    static String of(String method) {
        return KNOWN.contains(method) ? method : OTHER;
    }
}
