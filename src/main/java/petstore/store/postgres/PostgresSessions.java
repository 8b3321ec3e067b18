package petstore.store.postgres;

import java.sql.SQLException;

import petstore.CatalogueVersion;

/// The sessions of a [Postgres].
///
/// Errors: [petstore.Failure] of kind `UNAVAILABLE` if the database cannot be used now, `SQLException` if a statement fails.
interface PostgresSessions extends AutoCloseable {

    /// An operation on a session.
    ///
    /// @param <T> the result
    @FunctionalInterface
    interface Use<T> {
        T on(PostgresSession session) throws SQLException;
    }

    /// Throws if requests are not allowed.
    void requireReady();

    /// Uses a session for a request that reads.
    <T> T use(Use<T> use) throws SQLException;

    /// Uses a session for a request that commits something durable.
    <T> T useToCommit(Use<T> use) throws SQLException;

    /// Uses a session before requests are allowed, e.g. to read the keys.
    <T> T useUnqueued(Use<T> use) throws SQLException;

    /// Returns the epoch of the catalogue, from memory. Errors: [petstore.Failure] if requests are not allowed.
    long epoch();

    /// Returns the version of the catalogue.
    CatalogueVersion version() throws SQLException;

    /// Registers a listener that is called at a new epoch, before requests are allowed again.
    void onNewEpoch(Runnable listener);

    @Override
    void close();
}
