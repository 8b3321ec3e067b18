package petstore.store;

import java.sql.SQLException;
import java.util.function.Predicate;

import org.slf4j.LoggerFactory;
import petstore.Failure;

/// What the errors of a database's driver mean for whoever asked. Those of the database are logged.
public final class DatabaseErrors {

    private final ThrottledLog log = new ThrottledLog(LoggerFactory.getLogger(DatabaseErrors.class));
    private final Predicate<SQLException> isDefect;

    /// @param isDefect whether an error comes of what the service gave to the database
    public DatabaseErrors(Predicate<SQLException> isDefect) {
        this.isDefect = isDefect;
    }

    /// A failure of kind `INTERNAL_ERROR` for a defect, else of kind `UNAVAILABLE`.
    public Failure failure(SQLException e) {
        if (isDefect.test(e)) {
            return new Failure(Failure.Kind.INTERNAL_ERROR, "the store refuses what it was given", e);
        }
        log.error("The store failed: {}", e);
        return new Failure(Failure.Kind.UNAVAILABLE, "the store is unavailable; try again later", e);
    }
}
