package petstore;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Why a request cannot be carried out, in words that its sender may read. The one exception of the service's own.
public final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /// What kind of failure it is; each has one code on the wire, and a usual status.
    public enum Kind {
        /// The request breaks the contract; the message names every violation.
        INVALID_REQUEST,
        /// No valid API key.
        UNAUTHORIZED,
        /// The API key does not allow it.
        FORBIDDEN,
        /// There is no such thing.
        NOT_FOUND,
        /// There is, but not for this method.
        METHOD_NOT_ALLOWED,
        /// The same request is being carried out already; a later try gets its result.
        REQUEST_IN_PROGRESS,
        /// The client used one idempotency key for two different requests.
        IDEMPOTENCY_KEY_REUSED,
        /// The API key asks for more than its share.
        RATE_LIMITED,
        /// There was, until its removal date.
        GONE,
        /// The client has asked for a state that is not the current one.
        PRECONDITION_FAILED,
        /// The body is longer than the service reads.
        PAYLOAD_TOO_LARGE,
        /// The headers say that the body is not plain JSON.
        UNSUPPORTED_MEDIA_TYPE,
        /// A defect of the service.
        INTERNAL_ERROR,
        /// The store cannot do it now; a later try may succeed.
        UNAVAILABLE
    }

    private final Kind kind;

    public Failure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Failure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /// The store cannot do it now.
    public static Failure unavailable(String message) {
        return new Failure(Kind.UNAVAILABLE, message);
    }

    /// The store cannot do it now, because of what the file system says.
    ///
    /// @param what is not possible, and with which file, e.g. `the folder data cannot be written`
    public static Failure unavailable(String what, IOException cause) {
        return new Failure(Kind.UNAVAILABLE, what + ": " + reason(cause), cause);
    }

    /// Returns a failure of kind `UNAVAILABLE` for the folder for temporary files.
    ///
    /// @param what is not possible, e.g. `cannot be written`
    public static Failure temporaryFolder(String what, Throwable cause) {
        String reason = switch (cause) {
            case FileSystemException e when e.getReason() != null -> e.getReason();
            case IOException e -> reason(e);
            default -> String.valueOf(cause.getMessage()).replaceFirst("^/.*: ", "");
        };
        return new Failure(Kind.UNAVAILABLE,
                "the folder for temporary files, " + System.getProperty("java.io.tmpdir") + ", "
                        + what + ": " + reason + "; set another with PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER",
                cause);
    }

    /// Returns a failure of kind `UNAVAILABLE` for a thread that cannot be started.
    public static Failure noThread(OutOfMemoryError cause) {
        return new Failure(Kind.UNAVAILABLE, "the limit of processes is reached; raise it, or try again later", cause);
    }

    /// Many exceptions of the file system say no more than the file's name.
    private static String reason(IOException cause) {
        return switch (cause) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "there is no such file";
            case FileAlreadyExistsException _ -> "it is a file";
            case CharacterCodingException _ -> "it is not text in UTF-8";
            default -> String.valueOf(cause.getMessage());
        };
    }

    public Kind kind() {
        return kind;
    }

    /// The message; never absent.
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
