package petstore.http.telemetry;

/// The log of requests, for operators. Called by many threads; never blocks.
///
/// Its records never have a secret, a body, or an unknown path or method, which could hold a secret.
public interface RequestLog {

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
