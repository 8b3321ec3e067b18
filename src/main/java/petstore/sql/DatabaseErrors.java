package petstore.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;

/// What the errors of a database's driver mean for whoever asked. Those of the database are logged, at most one a second: a database
/// that fails does so for every request, and the log must not hold them up.
final class DatabaseErrors {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseErrors.class);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(1);

    private final Predicate<SQLException> isDefect;
    private final AtomicLong loggedNs = new AtomicLong(System.nanoTime() - LOG_INTERVAL.toNanos());

    /// @param isDefect whether an error comes of what the service gave to the database
    DatabaseErrors(Predicate<SQLException> isDefect) {
        this.isDefect = isDefect;
    }

    /// A failure of kind `INTERNAL_ERROR` for a defect, else of kind `UNAVAILABLE`.
    Failure failure(SQLException e) {
        if (isDefect.test(e)) {
            return new Failure(Failure.Kind.INTERNAL_ERROR, "the store refuses what it was given", e);
        }
        long last = loggedNs.get();
        long now = System.nanoTime();
        if (now - last >= LOG_INTERVAL.toNanos() && loggedNs.compareAndSet(last, now)) {
            LOG.error("The store failed: {}", e.getMessage());
        }
        return new Failure(Failure.Kind.UNAVAILABLE, "the store is unavailable; try again later", e);
    }
}
