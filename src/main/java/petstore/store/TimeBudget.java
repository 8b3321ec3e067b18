package petstore.store;

import java.time.Duration;
import java.util.Optional;

/// The time that the store may take for a request, and its parts. `--request-timeout` is the client's time, which includes its upload.
///
/// Errors: `IllegalArgumentException` if the parts do not fit into the whole.
///
/// @param whole a request that has no result by then fails
/// @param connection the longest wait for a connection of a pool, or for the lock of another process
/// @param statement absent for a database that ends no statement by itself
public record TimeBudget(Duration whole, Duration connection, Optional<Statement> statement) {

    /// The limits of a statement. Each is below the next, so that the server itself tells that a statement had no effect.
    ///
    /// Errors: `IllegalArgumentException` if they do not ascend.
    ///
    /// @param lock the longest wait for a lock
    /// @param whole the longest time on the server
    /// @param response the longest wait for a response, after which the connection is closed
    public record Statement(Duration lock, Duration whole, Duration response) {

        public Statement {
            if (!lock.isPositive() || lock.compareTo(whole) >= 0 || whole.compareTo(response) >= 0) {
                throw new IllegalArgumentException("not ascending: " + lock + ", " + whole + ", " + response);
            }
        }
    }

    /// Of PostgreSQL: a client gets its response within two seconds, also while the database does not respond.
    public static final TimeBudget POSTGRES = new TimeBudget(Duration.ofMillis(1_800), Duration.ofMillis(600),
            Optional.of(new Statement(Duration.ofMillis(800), Duration.ofSeconds(1), Duration.ofMillis(1_200))));
    /// Of the embedded store, whose disk may be slow. SQLite does not end a statement by itself.
    public static final TimeBudget SQLITE = new TimeBudget(Duration.ofSeconds(20), Duration.ofSeconds(5),
            Optional.empty());

    public TimeBudget {
        if (!connection.isPositive() || connection.plus(statement.map(Statement::response).orElse(Duration.ZERO))
                .compareTo(whole) > 0) {
            throw new IllegalArgumentException(connection + " and " + statement + " do not fit into " + whole);
        }
    }
}
