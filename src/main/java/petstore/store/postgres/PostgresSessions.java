package petstore.store.postgres;

import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Supplier;

import petstore.CatalogueVersion;
import petstore.store.Database;
import petstore.store.KnownVersion;
import petstore.store.SqlFunction;

/// The sessions of a [Postgres]. The defaults are those of a command: requests are always allowed, and no epoch is known.
///
/// Errors: [petstore.Failure] of kind `UNAVAILABLE` if the database cannot be used now, `SQLException` if a statement fails.
interface PostgresSessions extends AutoCloseable {

    <T> T use(SqlFunction<PostgresSession, T> use) throws SQLException;

    /// Returns the epoch of the catalogue; absent if only [#version] can tell. Errors: [petstore.Failure] if requests are not allowed.
    default Optional<Long> findEpoch() {
        return Optional.empty();
    }

    default CatalogueVersion version() throws SQLException {
        return use(KnownVersion::read);
    }

    default void onNewLineage(Database.Work<?> reading) {
    }

    /// Runs a step of the start, as [petstore.store.Database.Watch#atStart].
    default <T> T atStart(Supplier<T> step) {
        return step.get();
    }

    @Override
    void close();

    /// The one session of a command.
    record OfCommand(PostgresSession session) implements PostgresSessions {

        @Override
        public <T> T use(SqlFunction<PostgresSession, T> use) throws SQLException {
            return session.perform(_ -> use.on(session));
        }

        @Override
        public void close() {
            try {
                session.close();
            } catch (SQLException e) {
                // The server closes its side when the process ends.
            }
        }
    }
}
