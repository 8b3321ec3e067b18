package petstore.http.telemetry;

/// Where operators are told of requests. Called by many threads; never blocks.
public interface RequestLog {

    /// What became of a request. Never a key, a body, or the path or a method of the client's own, which could hold either.
    ///
    /// @param epochMilli when it ended
    /// @param outcome `answered`, or `abandoned` when the connection ended before
    /// @param request what the client and the log call it
    /// @param key the id of the good key that it came with; `-` for none
    /// @param method of the request; `_OTHER` when HTTP has none of its name
    /// @param route the path as the route table has it; `unmatched` when it does not
    /// @param status of the answer; 0 when there was none
    /// @param bytes the length of the answer's body
    /// @param trace the id of the trace that it belongs to; `-` for none
    /// @param durationMicros from the header block to the end
    record Entry(long epochMilli, String outcome, String request, String key, String method, String route, int status,
            long bytes, String trace, long durationMicros) {
    }

    /// Who was refused what, and with which key. Never a secret, nor the path or a method of the client's own.
    ///
    /// @param epochMilli when the request's header block had come
    /// @param status of the answer
    /// @param method as [Entry#method]
    /// @param route as [Entry#route]
    /// @param key as [Entry#key]
    /// @param client the address that the request came from; `-` when the client has gone before it was known
    /// @param request what the client and the log call it
    record Refusal(long epochMilli, int status, String method, String route, String key, String client,
            String request) {
    }

    /// A request has come to its end.
    void ended(Entry entry);

    /// A request was refused for its key.
    void refused(Refusal refusal);
}
