package petstore.http;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import petstore.Failure;
import petstore.Failure.Kind;
import petstore.json.ErrorJson;

/// Failures on the wire: the one table of their statuses and codes. Source: SPEC `Error`.
final class Errors {

    private static final Header RETRY_AFTER = Header.of("Retry-After", "1");

    private static final Set<Kind> RETRIED = EnumSet.of(Kind.UNAVAILABLE, Kind.REQUEST_IN_PROGRESS);
    private static final Map<Kind, Integer> STATUSES = new EnumMap<>(Map.ofEntries(
            Map.entry(Kind.INVALID_REQUEST, 400),
            Map.entry(Kind.UNAUTHORIZED, 401),
            Map.entry(Kind.FORBIDDEN, 403),
            Map.entry(Kind.NOT_FOUND, 404),
            Map.entry(Kind.METHOD_NOT_ALLOWED, 405),
            Map.entry(Kind.REQUEST_IN_PROGRESS, 409),
            Map.entry(Kind.GONE, 410),
            Map.entry(Kind.PAYLOAD_TOO_LARGE, 413),
            Map.entry(Kind.UNSUPPORTED_MEDIA_TYPE, 415),
            Map.entry(Kind.IDEMPOTENCY_KEY_REUSED, 422),
            Map.entry(Kind.RATE_LIMITED, 429),
            Map.entry(Kind.INTERNAL_ERROR, 500),
            Map.entry(Kind.UNAVAILABLE, 503)));

    private Errors() {
    }

    /// The code is the kind's name in lower case, e.g. `invalid_request`.
    static Answer answer(Kind kind, String message, Header... headers) {
        return answer(STATUSES.getOrDefault(kind, 500), kind, message, headers);
    }

    static Answer answer(Failure failure) {
        return RETRIED.contains(failure.kind())
                ? answer(failure.kind(), failure.getMessage(), RETRY_AFTER)
                : answer(failure.kind(), failure.getMessage());
    }

    /// An error whose status says more than its kind does.
    static Answer answer(int status, Kind kind, String message, Header... headers) {
        return Answer.json(status, ErrorJson.write(kind.name().toLowerCase(Locale.ROOT), message, status), headers)
                .with(List.of(Answer.NO_STORE)).refusing(kind);
    }
}
