package petstore.http;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.vertx.core.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/// The header in which a sender says which trace a request belongs to. Source: W3C Trace Context, level 1.
final class TraceParent {

    static final CharSequence HEADER = HttpHeaders.createOptimized("traceparent");

    private static final Pattern VALUE = Pattern
            .compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?");

    private TraceParent() {
    }

    /// The id of the trace, 32 hexadecimal digits; absent when the header is, or is not what the standard says.
    static Optional<String> traceId(@Nullable String header) {
        if (header == null) {
            return Optional.empty();
        }
        Matcher value = VALUE.matcher(header);
        return value.matches() ? Optional.of(value.group(1)) : Optional.empty();
    }
}
