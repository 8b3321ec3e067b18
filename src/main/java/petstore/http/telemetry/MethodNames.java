package petstore.http.telemetry;

import java.util.Set;

/// HTTP method names for logs, metrics and traces.
final class MethodNames {

    /// Replaces unknown methods, which could contain a key. Source: OpenTelemetry's HTTP conventions.
    static final String OTHER = "_OTHER";

    private static final Set<String> KNOWN = Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS",
            "TRACE", "PATCH");

    private MethodNames() {
    }

    /// Returns the name of a method; [#OTHER] if it is unknown.
    static String of(String method) {
        return KNOWN.contains(method) ? method : OTHER;
    }
}
