package petstore.http;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import petstore.Failure;
import petstore.Failure.Kind;
import petstore.json.ErrorJson;

/// Failures on the wire: the one table of their statuses and codes. Source: SPEC `Error`.
final class Errors {

    private static final Header RETRY_AFTER = Header.constant("Retry-After", "1");

    private static final Map<Kind, Integer> STATUSES = new EnumMap<>(Map.of(
            Kind.INVALID_REQUEST, 400,
            Kind.UNAUTHORIZED, 401,
            Kind.FORBIDDEN, 403,
            Kind.NOT_FOUND, 404,
            Kind.METHOD_NOT_ALLOWED, 405,
            Kind.GONE, 410,
            Kind.PAYLOAD_TOO_LARGE, 413,
            Kind.UNSUPPORTED_MEDIA_TYPE, 415,
            Kind.INTERNAL_ERROR, 500,
            Kind.UNAVAILABLE, 503));

    private Errors() {
    }

    /// The code is the kind's name in lower case, e.g. `invalid_request`.
    static Answer answer(Kind kind, String message, Header... headers) {
        return answer(STATUSES.getOrDefault(kind, 500), kind, message, headers);
    }

    static Answer answer(Failure failure) {
        return failure.kind() == Kind.UNAVAILABLE
                ? answer(failure.kind(), failure.getMessage(), RETRY_AFTER)
                : answer(failure.kind(), failure.getMessage());
    }

    /// An error whose status says more than its kind does.
    static Answer answer(int status, Kind kind, String message, Header... headers) {
        return Answer.json(status, ErrorJson.write(kind.name().toLowerCase(Locale.ROOT), message, status), headers)
                .with(List.of(Answer.NO_STORE));
    }
}
