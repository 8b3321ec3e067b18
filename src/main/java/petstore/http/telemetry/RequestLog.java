package petstore.http.telemetry;

import java.util.Optional;

import petstore.Failure;

/// The log of requests, for operators. Called by many threads; never blocks.
///
/// Its records never have a secret, a body, or an unknown path or method, which could hold a secret.
public interface RequestLog {

    /// A request that has ended, answered or abandoned.
    ///
    /// @param method a method of HTTP; `_OTHER` for unknown ones
    /// @param unkeyedCreate true if the request added an animal and had no `Idempotency-Key`
    /// @param beganMillis when the header block was complete, in milliseconds since 1970
    /// @param durationNanos the time from `beganMillis` to the end, in nanoseconds
    /// @param status the status of the response; 0 if the connection ended before it was sent
    /// @param refusal the code of the response; absent if the request was not refused
    /// @param reason the reason why the request was refused or abandoned; absent if it was neither
    record FinishedRequest(String id, String method, String route, boolean deprecated, boolean unkeyedCreate,
            String key, long beganMillis, long durationNanos, int status, long bytes,
            String client, Optional<Failure.Kind> refusal, Optional<Failure.Unavailability> unavailability,
            Optional<String> reason) {
    }

    /// A request that was refused for its key. Other components are as in [FinishedRequest].
    ///
    /// @param epochMilli when the header block was complete
    /// @param key the id of the key; `-` for none
    /// @param reason as in [petstore.http.message.Response.Refusal]
    record RefusedKey(long epochMilli, int status, String method, String route, String key, String client,
            String request, String reason) {
    }

    /// Logs that a request has ended.
    ///
    /// @param trace the id of the trace that it belongs to; `-` for none
    void finished(FinishedRequest request, String trace);

    void refused(RefusedKey refusal);
}
