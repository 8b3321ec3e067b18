package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.Failure.Unavailability;
import petstore.SafeText;
import petstore.store.Database;

/// The meaning of SQLite's result codes.
final class SqliteErrors {

    /// The message of a service whose store has damaged pages.
    static final String DAMAGED = "the store is damaged; restore a backup";
    static final String RESTORE = "; put a backup in its place with '" + SafeText.command("restore FILE") + "'";
    /// The first size of the index of a log.
    private static final int COMPANION_BYTES = 32 * 1024;
    private static final int PRIMARY_CODE = 0xFF;

    private SqliteErrors() {
    }

    static SQLException exception(SQLiteErrorCode code) {
        return new SQLiteException(code.toString(), code);
    }

    static boolean isBusy(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_BUSY);
    }

    static boolean isDamage(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_NOTADB, SQLiteErrorCode.SQLITE_CORRUPT);
    }

    /// Returns true also if the log's index cannot grow.
    static boolean isFullDisk(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_FULL) || isOfIndex(e);
    }

    /// Returns true if the log's index cannot grow.
    static boolean isOfIndex(SQLException e) {
        return hasCode(e, SQLiteErrorCode.SQLITE_IOERR_SHMSIZE);
    }

    /// Returns true if the store cannot be written now. False for damage, and for reasons that pass without an operator or concern one
    /// write.
    static boolean isFailedWrite(SQLException e) {
        return !isFullDisk(e) && hasPrimary(e, SQLiteErrorCode.SQLITE_IOERR, SQLiteErrorCode.SQLITE_READONLY,
                SQLiteErrorCode.SQLITE_CANTOPEN);
    }

    /// Returns true for a failed fsync. The kernel may have dropped the pages, so that a second fsync would succeed without them.
    static boolean isLostDisk(SQLException e) {
        return hasCode(e, SQLiteErrorCode.SQLITE_IOERR_FSYNC) || hasCode(e, SQLiteErrorCode.SQLITE_IOERR_DIR_FSYNC);
    }

    /// Returns the failure of a request. A broken constraint is a defect of the service. All other errors are the store's: a full or
    /// failing disk, a lock held too long, a damaged file.
    static Failure ofRequest(SQLException e) {
        if (hasPrimary(e, SQLiteErrorCode.SQLITE_CONSTRAINT)) {
            return new Failure(Failure.Kind.INTERNAL_ERROR, "the database rejected a statement", e);
        }
        if (isDamage(e)) {
            return new Failure(Unavailability.DAMAGED, DAMAGED, e);
        }
        return new Failure(isFullDisk(e) ? Unavailability.DISK_FULL : Unavailability.STATEMENT_FAILED,
                Database.UNAVAILABLE, e);
    }

    /// Returns the reason of an error and the remedy, for a person.
    static String reason(SQLException e) {
        return isFullDisk(e) ? CommandFailure.FULL_DISK : String.valueOf(e.getMessage());
    }

    private static boolean hasCode(SQLException e, SQLiteErrorCode code) {
        return e instanceof SQLiteException sqlite && sqlite.getResultCode() == code;
    }

    /// Returns the reason of an error of a file and the remedy. SQLite does not say that it has no space or inode for a companion.
    static String reason(SQLException e, Path file) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_CANTOPEN, SQLiteErrorCode.SQLITE_IOERR)
                ? findLackOfSpace(file).orElseGet(() -> reason(e))
                : reason(e);
    }

    private static Optional<String> findLackOfSpace(Path file) {
        try {
            Path part = Files.createTempFile(file.toAbsolutePath().getParent(), file.getFileName() + ".", ".part");
            try {
                Files.write(part, new byte[COMPANION_BYTES]);
            } finally {
                Files.delete(part);
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(CommandFailure.reason(e)).filter(CommandFailure::isLackOfSpace);
        }
    }

    private static boolean hasPrimary(SQLException e, SQLiteErrorCode... codes) {
        return e instanceof SQLiteException sqlite && Arrays.stream(codes)
                .anyMatch(code -> (sqlite.getResultCode().code & PRIMARY_CODE) == code.code);
    }
}
