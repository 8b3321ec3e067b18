package petstore.sql;

import java.sql.SQLException;

import petstore.Version;

/// Where a [Postgres] gets its sessions from.
///
/// Errors: [petstore.Failure] of kind `UNAVAILABLE` if the database cannot be used now, `SQLException` if a statement fails.
interface PostgresSessions extends AutoCloseable {

    /// What is done on a session.
    ///
    /// @param <T> the result
    @FunctionalInterface
    interface Use<T> {
        T on(PostgresSession session) throws SQLException;
    }

    /// Does nothing if requests are allowed.
    void requireReady();

    /// Uses a session for a request that reads.
    <T> T use(Use<T> use) throws SQLException;

    /// Uses a session for a request that commits something durable.
    <T> T useToCommit(Use<T> use) throws SQLException;

    /// Uses a session for what has to be known before requests are allowed, such as keys.
    <T> T useAside(Use<T> use) throws SQLException;

    /// Returns the version of the catalogue.
    Version version() throws SQLException;

    /// Has `listener` called when what is stored changes by more than added animals, before requests are allowed again.
    void onNewEpoch(Runnable listener);

    @Override
    void close();
}
