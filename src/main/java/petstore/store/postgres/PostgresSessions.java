package petstore.store.postgres;

import java.sql.SQLException;
import java.util.Optional;

import petstore.CatalogueVersion;
import petstore.store.Database;
import petstore.store.KnownVersion;
import petstore.store.SqlFunction;

/// The sessions of a [Postgres]. The defaults are those of a command: requests are always allowed, and no epoch is known.
///
/// Errors: as for [Database], also if a statement fails.
interface PostgresSessions extends Database.Watch, AutoCloseable {

    <T> T use(SqlFunction<PostgresSession, T> use);

    @Override
    default Optional<Long> findEpoch() {
        return Optional.empty();
    }

    @Override
    default CatalogueVersion version() {
        return use(KnownVersion::read);
    }

    @Override
    default void onNewLineage(Runnable action) {
    }

    @Override
    default void requireReady() {
        var _ = findEpoch();
    }

    @Override
    default void check() {
        var _ = use(PostgresSchema::requireReady);
    }

    @Override
    void close();

    /// The one session of a command.
    record OfCommand(PostgresUri database, PostgresSession session) implements PostgresSessions {

        @Override
        public <T> T use(SqlFunction<PostgresSession, T> use) {
            try {
                return session.perform(_ -> use.on(session));
            } catch (SQLException e) {
                throw PostgresErrors.cannotBeUsed(database, e);
            }
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
