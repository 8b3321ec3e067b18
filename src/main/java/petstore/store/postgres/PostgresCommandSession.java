package petstore.store.postgres;

import java.sql.SQLException;

import petstore.CatalogueVersion;
import petstore.store.KnownVersion;

/// The one session of a command.
record PostgresCommandSession(PostgresSession session) implements PostgresSessions {

    @Override
    public void requireReady() {
    }

    @Override
    public <T> T use(Use<T> use) throws SQLException {
        return session.perform(_ -> use.on(session));
    }

    @Override
    public <T> T useToCommit(Use<T> use) throws SQLException {
        return use(use);
    }

    @Override
    public <T> T useUnqueued(Use<T> use) throws SQLException {
        return use(use);
    }

    @Override
    public long epoch() {
        return 0;
    }

    @Override
    public CatalogueVersion version() throws SQLException {
        return use(locked -> KnownVersion.read(locked, epoch()));
    }

    @Override
    public void onNewEpoch(Runnable listener) {
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
