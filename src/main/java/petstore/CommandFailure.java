package petstore;

import java.io.File;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// The reason why a command fails, or the service does not start. The message is for the operator, and says what to do.
public final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /// The reason and the remedy of an error for lack of disk space.
    public static final String FULL_DISK = "the disk is full; free some space";

    private static final String NO_INODES = "the disk has no inodes left; delete some files";
    private static final String NO_SPACE = "No space left on device";
    /// A disk with more free bytes is not full.
    private static final long SOME_SPACE = 1 << 20;

    public CommandFailure(String message) {
        super(message);
    }

    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /// Returns a failure for an error of the file system.
    ///
    /// @param problem e.g. `the folder data cannot be written`
    public static CommandFailure of(String problem, IOException cause) {
        return new CommandFailure(problem + ": " + reason(cause), cause);
    }

    /// Returns a failure for a folder for temporary files that cannot be written.
    public static CommandFailure temporaryFolder(IOException cause) {
        String reason = cause instanceof FileSystemException e && e.getReason() != null
                ? plainReason(e.getReason())
                : reason(cause);
        return new CommandFailure("the folder for temporary files, " + System.getProperty("java.io.tmpdir")
                + ", cannot be written: " + reason + "; set another with PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER",
                cause);
    }

    /// Returns the reason of an error, because the message of many file system exceptions is only the name of the file.
    public static String reason(IOException cause) {
        return switch (cause) {
            // Only the creation of a file throws this class.
            case FileSystemException e when NO_SPACE.equals(e.getReason())
                    && new File(e.getFile()).getAbsoluteFile().getParentFile().getUsableSpace() > SOME_SPACE ->
                NO_INODES;
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "there is no such file";
            case FileAlreadyExistsException _ -> "it is a file";
            case CharacterCodingException _ -> "it is not text in UTF-8";
            default -> plainReason(String.valueOf(cause.getMessage()));
        };
    }

    public static boolean isLackOfSpace(String reason) {
        return reason.equals(FULL_DISK) || reason.equals(NO_INODES);
    }

    private static String plainReason(String reason) {
        return reason.endsWith(NO_SPACE) ? FULL_DISK : reason;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
