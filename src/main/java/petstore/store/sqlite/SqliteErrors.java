package petstore.store.sqlite;

import java.sql.SQLException;

import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import petstore.Failure;
import petstore.SafeText;

/// The meaning of SQLite's result codes.
final class SqliteErrors {

    static final String RESTORE = "; put a backup in its place with '" + SafeText.command("restore FILE") + "'";
    private static final int PRIMARY_CODE = 0xFF;

    private SqliteErrors() {
    }

    static boolean isBusy(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_BUSY);
    }

    static boolean isDamage(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_NOTADB) || hasPrimary(e, SQLiteErrorCode.SQLITE_CORRUPT);
    }

    static boolean isFullDisk(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_FULL);
    }

    /// Returns true for a failed fsync. The kernel may have dropped the pages, so that a second fsync would succeed without them.
    static boolean isLostDisk(SQLException e) {
        return e instanceof SQLiteException sqlite && (sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_FSYNC
                || sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_DIR_FSYNC);
    }

    /// Returns true for a broken constraint, which is a defect of the service. All other errors are the store's: a full or failing disk,
    /// a lock held too long, a damaged file.
    static boolean isDefect(SQLException e) {
        return hasPrimary(e, SQLiteErrorCode.SQLITE_CONSTRAINT);
    }

    /// Returns the reason of an error and the remedy, for a person.
    static String reason(SQLException e) {
        return isFullDisk(e) ? Failure.FULL_DISK : String.valueOf(e.getMessage());
    }

    private static boolean hasPrimary(SQLException e, SQLiteErrorCode code) {
        return e instanceof SQLiteException sqlite && (sqlite.getResultCode().code & PRIMARY_CODE) == code.code;
    }
}
