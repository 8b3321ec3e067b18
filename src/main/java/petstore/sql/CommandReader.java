package petstore.sql;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/// Reads on the one session of a command, in the calling thread.
///
/// @param lock guards the session
record CommandReader(Session session, ReentrantLock lock, DatabaseErrors errors) implements Readers {

    @Override
    public <T> CompletableFuture<T> submit(Database.Work<T> work) {
        lock.lock();
        try {
            return CompletableFuture.completedFuture(session.perform(work));
        } catch (SQLException e) {
            return CompletableFuture.failedFuture(errors.failure(e));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int waiting() {
        return 0;
    }

    /// Does nothing: the session belongs to the store.
    @Override
    public void close() {
    }
}
