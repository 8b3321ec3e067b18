package petstore.store;

import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;

/// A session for one thread at a time.
///
/// @param <S> the kind of session
public final class LockedSession<S extends Session> implements AutoCloseable {

    /// Work on a session.
    ///
    /// @param <S> the kind of session
    /// @param <T> the result
    @FunctionalInterface
    public interface Use<S, T> {
        T on(S session) throws SQLException;
    }

    private final S session;
    private final ReentrantLock lock = new ReentrantLock();

    public LockedSession(S session) {
        this.session = session;
    }

    /// Does `use` once no other thread uses the session.
    public <T> T use(Use<S, T> use) throws SQLException {
        lock.lock();
        try {
            return session.perform(_ -> use.on(session));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws SQLException {
        lock.lock();
        try {
            session.close();
        } finally {
            lock.unlock();
        }
    }
}
