package petstore.http.telemetry;

import java.util.Optional;

import io.opentelemetry.api.trace.SpanContext;
import petstore.Failure;
import petstore.http.message.RequestHead;

/// A request that has ended, answered or abandoned.
///
/// @param method a method of HTTP; [#OTHER_METHOD] for unknown ones
/// @param unkeyedCreate true if the request added an animal and had no `Idempotency-Key`
/// @param parent the trace that the client named; absent for none
/// @param beganMillis when the header block was complete, in milliseconds since 1970
/// @param durationNanos the time from `beganMillis` to the end, in nanoseconds
/// @param status the status of the response; 0 if the connection ended before it was sent
/// @param refusal the code of the response; absent if the request was not refused
/// @param reason the reason why the request was refused or abandoned; absent if it was neither
public record FinishedRequest(String id, String method, String route, boolean deprecated, boolean unkeyedCreate,
        String key, Optional<SpanContext> parent, long beganMillis, long durationNanos, int status, long bytes,
        String client,
        Optional<Failure.Kind> refusal, Optional<Failure.Unavailability> unavailability, Optional<String> reason) {

    /// Replaces unknown methods, which could contain a key. Source: OpenTelemetry's HTTP conventions.
    static final String OTHER_METHOD = "_OTHER";

    static String method(RequestHead head) {
        return switch (head.method()) {
            case "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH" -> head.method();
            default -> OTHER_METHOD;
        };
    }

    public boolean isAnswered() {
        return status != 0;
    }
}
