package petstore;

import java.io.File;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// The exception of this project. Its message may be shown to clients and operators.
public final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /// The reason and the remedy of an error for lack of disk space.
    public static final String FULL_DISK = "the disk is full; free some space";

    private static final String NO_INODES = "the disk has no inodes left; delete some files";
    private static final String NO_SPACE = "No space left on device";
    /// A disk with so many free bytes is not full.
    private static final long SOME_SPACE = 1 << 20;

    /// The kind of a failure: the `code` of an error response.
    public enum Kind {
        /// The request breaks the contract; the message names every violation.
        INVALID_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED,
        /// A request with the same idempotency key is in progress.
        REQUEST_IN_PROGRESS,
        /// The idempotency key was used for another request.
        IDEMPOTENCY_KEY_REUSED, RATE_LIMITED,
        /// The operation has been removed.
        GONE, PRECONDITION_FAILED, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, EXPECTATION_FAILED,
        /// A defect of the service.
        INTERNAL_ERROR,
        /// The store cannot handle the request now; a retry may succeed.
        UNAVAILABLE
    }

    private final Kind kind;
    private final boolean outcomeKnown;

    public Failure(Kind kind, String message) {
        super(message);
        this.kind = kind;
        this.outcomeKnown = true;
    }

    public Failure(Kind kind, String message, Throwable cause) {
        this(kind, message, cause, true);
    }

    private Failure(Kind kind, String message, Throwable cause, boolean outcomeKnown) {
        super(message, cause);
        this.kind = kind;
        this.outcomeKnown = outcomeKnown;
    }

    /// Returns a failure of kind `UNAVAILABLE` for a transaction that may have been committed.
    public static Failure unknownOutcome(String message, Throwable cause) {
        return new Failure(Kind.UNAVAILABLE, message, cause, false);
    }

    public static Failure unavailable(String message) {
        return new Failure(Kind.UNAVAILABLE, message);
    }

    /// Returns a failure of kind `UNAVAILABLE` for an error of the file system.
    ///
    /// @param problem e.g. `the folder data cannot be written`
    public static Failure unavailable(String problem, IOException cause) {
        return new Failure(Kind.UNAVAILABLE, problem + ": " + reason(cause), cause);
    }

    /// Returns a failure of kind `UNAVAILABLE` for the folder for temporary files.
    ///
    /// @param problem e.g. `cannot be written`
    public static Failure temporaryFolder(String problem, Throwable cause) {
        String reason = switch (cause) {
            case FileSystemException e when e.getReason() != null -> plainReason(e.getReason());
            case IOException e -> reason(e);
            default -> String.valueOf(cause.getMessage()).replaceFirst("^/.*: ", "");
        };
        return new Failure(Kind.UNAVAILABLE,
                "the folder for temporary files, " + System.getProperty("java.io.tmpdir") + ", "
                        + problem + ": " + reason + "; set another with PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER",
                cause);
    }

    /// Returns a failure of kind `UNAVAILABLE` for a thread that cannot be started.
    public static Failure noThread(OutOfMemoryError cause) {
        return new Failure(Kind.UNAVAILABLE, "the limit of processes is reached; raise it, or try again later", cause);
    }

    /// Returns the reason of an error, because the message of many file system exceptions is only the name of the file.
    public static String reason(IOException cause) {
        return switch (cause) {
            // Only the creation of a file throws this class.
            case FileSystemException e when NO_SPACE.equals(e.getReason()) && freeBytes(e.getFile()) > SOME_SPACE ->
                NO_INODES;
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "there is no such file";
            case FileAlreadyExistsException _ -> "it is a file";
            case CharacterCodingException _ -> "it is not text in UTF-8";
            default -> plainReason(String.valueOf(cause.getMessage()));
        };
    }

    /// Returns true for a [#reason] of a full disk.
    public static boolean isLackOfSpace(String reason) {
        return reason.equals(FULL_DISK) || reason.equals(NO_INODES);
    }

    private static long freeBytes(String file) {
        return new File(file).getAbsoluteFile().getParentFile().getUsableSpace();
    }

    private static String plainReason(String reason) {
        return reason.endsWith(NO_SPACE) ? FULL_DISK : reason;
    }

    public Kind kind() {
        return kind;
    }

    /// Returns true for a transaction that may have been committed.
    public boolean hasUnknownOutcome() {
        return !outcomeKnown;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
