package petstore.store.postgres;

import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;

import petstore.CatalogueVersion;
import petstore.store.KnownVersion;

/// The one session of a command, for one thread at a time.
final class PostgresCommandSession implements PostgresSessions {

    private final PostgresSession session;
    private final ReentrantLock lock = new ReentrantLock();

    PostgresCommandSession(PostgresSession session) {
        this.session = session;
    }

    @Override
    public void requireReady() {
    }

    @Override
    public <T> T use(Use<T> use) throws SQLException {
        lock.lock();
        try {
            return session.perform(_ -> use.on(session));
        } finally {
            lock.unlock();
        }
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
    public CatalogueVersion version() throws SQLException {
        return use(session -> KnownVersion.read(session, 0));
    }

    @Override
    public void onNewEpoch(Runnable listener) {
    }

    @Override
    public void close() {
        lock.lock();
        try {
            session.close();
        } catch (SQLException e) {
            // The server closes its side when the process ends.
        } finally {
            lock.unlock();
        }
    }
}
