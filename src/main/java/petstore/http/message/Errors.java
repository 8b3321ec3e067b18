package petstore.http.message;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import petstore.Failure;
import petstore.Failure.Kind;
import petstore.json.Json;

/// Error responses: the table of status codes. Source: SPEC `Error`.
public final class Errors {

    private static final Header RETRY_AFTER = Header.of("Retry-After", "1");

    private Errors() {
    }

    /// Returns an error response. Its code is the kind's name in lower case, e.g. `invalid_request`.
    public static Response response(Kind kind, String message, Header... headers) {
        return response(status(kind), kind, message, headers);
    }

    /// Returns an error response that names all violations.
    public static Response response(Kind kind, List<String> violations) {
        return response(kind, String.join("; ", violations));
    }

    private static int status(Kind kind) {
        return switch (kind) {
            case INVALID_REQUEST -> 400;
            case UNAUTHORIZED -> 401;
            case FORBIDDEN -> 403;
            case NOT_FOUND -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case REQUEST_IN_PROGRESS -> 409;
            case GONE -> 410;
            case PRECONDITION_FAILED -> 412;
            case PAYLOAD_TOO_LARGE -> 413;
            case UNSUPPORTED_MEDIA_TYPE -> 415;
            case EXPECTATION_FAILED -> 417;
            case IDEMPOTENCY_KEY_REUSED -> 422;
            case RATE_LIMITED -> 429;
            case INTERNAL_ERROR -> 500;
            case UNAVAILABLE -> 503;
        };
    }

    public static Response response(Failure failure) {
        return response(failure, failure.getMessage());
    }

    /// Returns a response with another message than that of the failure.
    public static Response response(Failure failure, String message) {
        Kind kind = failure.kind();
        boolean isPassing = kind == Kind.UNAVAILABLE || kind == Kind.REQUEST_IN_PROGRESS;
        return response(kind, message, isPassing ? new Header[]{RETRY_AFTER} : new Header[0])
                .refusing(new Response.Refusal(kind, failure.unavailability(), failure.reason()));
    }

    /// Returns an error response with another status code than that of its kind. The message is also the reason of the refusal.
    public static Response response(int status, Kind kind, String message, Header... headers) {
        return Response.json(status, Json.error(kind.name().toLowerCase(Locale.ROOT), message, status), headers)
                .with(List.of(Response.NO_STORE)).refusing(new Response.Refusal(kind, Optional.empty(), message));
    }
}
