package petstore.store.sqlite;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import petstore.store.Database;

/// What reads from a SQLite file.
interface Readers extends AutoCloseable {

    /// Reads in its turn. The future fails with [petstore.Failure] of kind `UNAVAILABLE` if the read would wait too long, and with the
    /// errors of `work`.
    <T> CompletableFuture<T> submit(Database.Work<T> work);

    /// Reads in its turn, and waits for the result. Errors: as for [#submit].
    default <T> T run(Database.Work<T> work) {
        try {
            return submit(work).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /// Returns how many reads wait.
    int waiting();

    @Override
    void close();
}
