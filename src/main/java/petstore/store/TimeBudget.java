package petstore.store;

import java.time.Duration;

/// The time that the store may take for a request. `--request-timeout` is the client's time, which includes its upload.
///
/// @param whole a request that has no result by then fails
/// @param connection the longest wait for a connection of a pool, or for the lock of another process
public record TimeBudget(Duration whole, Duration connection) {

    /// Of PostgreSQL: a client gets its response within two seconds, also while the database does not respond.
    public static final TimeBudget POSTGRES = new TimeBudget(Duration.ofMillis(1_800), Duration.ofMillis(600));
    /// Of the embedded store, whose disk may be slow. SQLite does not end a statement by itself.
    public static final TimeBudget SQLITE = new TimeBudget(Duration.ofSeconds(20), Duration.ofSeconds(5));
}
