package petstore.http.telemetry;

import java.util.Optional;

import io.opentelemetry.api.trace.SpanContext;
import petstore.Failure;
import petstore.http.message.Api;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;

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

    /// Only createPet responds with it.
    private static final int CREATED = 201;

    /// Returns the record of a request.
    ///
    /// @param unkeyed true if the request had no `Idempotency-Key`
    /// @param decision absent if the API does not know the request
    /// @param sent absent if the connection ended before the response was sent
    public static FinishedRequest of(RequestHead head, boolean unkeyed, Optional<Api.Decision> decision,
            Optional<SpanContext> parent, Optional<Response> sent, String ending, long durationNanos) {
        long bytes = head.method().equals("HEAD") ? 0 : sent.map(response -> response.body().length).orElse(0);
        int status = sent.map(Response::status).orElse(0);
        Optional<Response.Refusal> refusal = sent.flatMap(Response::refusal);
        return new FinishedRequest(head.id(), method(head),
                decision.map(Api.Decision::route).orElse(Api.NO_ROUTE),
                decision.map(Api.Decision::isDeprecated).orElse(false),
                unkeyed && status == CREATED,
                decision.map(Api.Decision::keyId).orElse(Api.NO_KEY), parent, head.beganMillis(), durationNanos,
                status, bytes, head.client(), refusal.map(Response.Refusal::kind),
                refusal.flatMap(Response.Refusal::unavailability),
                sent.isPresent() ? refusal.map(Response.Refusal::reason) : Optional.of(ending));
    }

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
