package petstore.transfer;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// A thread that writes, while its owner reads ahead: it performs tasks in their order, a limited number at a time.
///
/// Errors: every method of the owner throws the exception of a task that failed.
final class TaskThread implements AutoCloseable {

    private final ExecutorService thread;
    private final int maxPending;
    private final Queue<Future<?>> pending = new ArrayDeque<>();

    TaskThread(String name, int maxPending) {
        this.thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).factory());
        this.maxPending = maxPending;
    }

    /// Adds a task. Waits while the maximum number of tasks is pending.
    void submit(Callable<?> task) {
        await(maxPending - 1);
        pending.add(thread.submit(task));
    }

    void finish() {
        await(0);
    }

    private void await(int left) {
        try {
            while (pending.size() > left) {
                pending.remove().get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /// Waits for all tasks, also those that fail.
    @Override
    public void close() {
        thread.close();
    }
}
