package petstore.store;

import java.time.Duration;
import java.util.Optional;

/// The time that the store may take for a request, and its parts. `--request-timeout` is the client's time, which includes its upload.
///
/// Errors: `IllegalArgumentException` if the parts do not fit into the whole.
///
/// @param whole a request that has no result by then fails
/// @param connection the longest wait for a connection of a pool, or for the lock of another process
/// @param statement the longest time of a statement, in whole seconds, as drivers take it (0 is no limit for them); absent for none
public record TimeBudget(Duration whole, Duration connection, Optional<Duration> statement) {

    /// Of PostgreSQL: a client gets its response within two seconds, also while the database does not respond.
    public static final TimeBudget POSTGRES = new TimeBudget(Duration.ofMillis(1_800), Duration.ofMillis(600),
            Optional.of(Duration.ofSeconds(1)));
    /// Of the embedded store, whose disk may be slow. SQLite does not end a statement by itself.
    public static final TimeBudget SQLITE = new TimeBudget(Duration.ofSeconds(20), Duration.ofSeconds(5),
            Optional.empty());

    public TimeBudget {
        if (!connection.isPositive() || statement
                .filter(limit -> !limit.isPositive() || limit.toNanosPart() != 0).isPresent()) {
            throw new IllegalArgumentException("not a limit: " + connection + ", " + statement);
        }
        if (connection.plus(statement.orElse(Duration.ZERO)).compareTo(whole) > 0) {
            throw new IllegalArgumentException(connection + " and " + statement + " exceed " + whole);
        }
    }
}
