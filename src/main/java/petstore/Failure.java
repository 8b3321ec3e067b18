package petstore;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/// The reason why a request fails. Its message may be shown to clients.
public final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /// The kind of a failure: the `code` of an error response.
    public enum Kind {
        /// The request breaks the contract; the message names every violation.
        INVALID_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED, REQUEST_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED,
        /// The operation has been removed.
        GONE, PRECONDITION_FAILED, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, EXPECTATION_FAILED,
        /// A defect of the service.
        INTERNAL_ERROR,
        /// The service cannot handle the request now; a retry may succeed.
        UNAVAILABLE
    }

    /// The cause of a failure of kind `UNAVAILABLE`, for operators. `docs/operations.md` has what each means.
    public enum Unavailability {
        QUEUE_FULL,
        /// The request waited for the store for too long.
        QUEUE_LATE,
        /// The store did not finish a read in time.
        STORE_LATE,
        /// The response was not ready within the time of a request.
        LATE,
        /// A transaction may have been committed.
        OUTCOME_UNKNOWN, NO_PRIMARY,
        /// The database refused a statement, or the connection to it broke.
        STATEMENT_FAILED, DISK_FULL, NOT_WRITABLE,
        /// The store's disk lost data, and the service stops; or its files were replaced.
        DISK_FAILED,
        /// The store has damaged pages.
        DAMAGED, WRONG_SCHEMA, NO_THREAD, MEMORY, STOPPING;

        /// Returns the code for log and metrics, e.g. `queue_full`.
        public String code() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Kind kind;
    private final @Nullable Unavailability unavailability;
    private final String detail;

    public Failure(Kind kind, String message) {
        this(kind, null, message, "", null);
    }

    public Failure(Kind kind, String message, Throwable cause) {
        this(kind, null, message, "", cause);
    }

    public Failure(Unavailability unavailability, String message) {
        this(unavailability, message, "");
    }

    /// @param detail for operators alone, e.g. with addresses; empty for none
    public Failure(Unavailability unavailability, String message, String detail) {
        this(Kind.UNAVAILABLE, unavailability, message, detail, null);
    }

    public Failure(Unavailability unavailability, String message, Throwable cause) {
        this(Kind.UNAVAILABLE, unavailability, message, "", cause);
    }

    private Failure(Kind kind, @Nullable Unavailability unavailability, String message, String detail,
            @Nullable Throwable cause) {
        super(message, cause);
        if ((kind == Kind.UNAVAILABLE) == (unavailability == null)) {
            throw new IllegalArgumentException("a failure of this kind needs an Unavailability");
        }
        this.kind = kind;
        this.unavailability = unavailability;
        this.detail = detail;
    }

    public static Failure noThread(OutOfMemoryError cause) {
        return new Failure(Unavailability.NO_THREAD, "the limit of processes is reached; raise it, or try again later",
                cause);
    }

    public Kind kind() {
        return kind;
    }

    /// Returns the cause of a failure of kind `UNAVAILABLE`; absent for other kinds.
    public Optional<Unavailability> unavailability() {
        return Optional.ofNullable(unavailability);
    }

    /// Returns true for a transaction that may have been committed.
    public boolean hasUnknownOutcome() {
        return unavailability == Unavailability.OUTCOME_UNKNOWN;
    }

    /// Returns the reason for the request log: the detail, else the message.
    public String reason() {
        return detail.isEmpty() ? getMessage() : detail;
    }

    /// Returns the message, the detail, and the messages of all causes, for operators.
    public String explanation() {
        String own = detail.isEmpty() ? getMessage() : getMessage() + ": " + detail;
        return Stream.concat(Stream.of(own), Stream.iterate(getCause(), Objects::nonNull, Throwable::getCause)
                .map(Throwable::getMessage).filter(Objects::nonNull)).collect(Collectors.joining(": "));
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
