package petstore.store.sqlite;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.Session;

/// Reads on the one session of a command, in the calling thread.
///
/// @param lock guards the session
/// @param readOnly verifies each result; absent if the session locks the file
record CommandReader(Session session, ReentrantLock lock, DatabaseErrors errors, Optional<ReadOnlyStore> readOnly)
        implements
            Readers {

    @Override
    public <T> CompletableFuture<T> submit(Database.Work<T> work) {
        lock.lock();
        try {
            T result = session.perform(work);
            readOnly.ifPresent(ReadOnlyStore::requireUnchanged);
            return CompletableFuture.completedFuture(result);
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
