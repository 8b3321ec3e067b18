package petstore.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;

/// Translates the errors of a database's driver. At most one a second is logged, so that the log does not slow down requests.
public final class DatabaseErrors {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseErrors.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Predicate<SQLException> isDefect;
    private final AtomicLong loggedNs = new AtomicLong(System.nanoTime() - INTERVAL.toNanos());

    /// @param isDefect true for an error that a defect of the service causes
    public DatabaseErrors(Predicate<SQLException> isDefect) {
        this.isDefect = isDefect;
    }

    /// Returns a failure of kind `INTERNAL_ERROR` for a defect, else of kind `UNAVAILABLE`.
    public Failure failure(SQLException e) {
        if (isDefect.test(e)) {
            return new Failure(Failure.Kind.INTERNAL_ERROR, "the database rejected a statement", e);
        }
        long last = loggedNs.get();
        long now = System.nanoTime();
        if (now - last >= INTERVAL.toNanos() && loggedNs.compareAndSet(last, now)) {
            LOG.error("the store failed: {}", e.getMessage());
        }
        return unavailable(e);
    }

    /// Returns a failure of kind `UNAVAILABLE` for an error that is logged already.
    public static Failure unavailable(SQLException e) {
        return new Failure(Failure.Kind.UNAVAILABLE, "the store is unavailable; try again later", e);
    }
}
