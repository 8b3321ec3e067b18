package petstore.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import petstore.Failure;

/// Commits whatever is waiting as one group, so that one wait for the disk serves many clients.
///
/// While a group is being written the next one gathers: the busier the store, the larger its groups, up to
/// [#LARGEST_GROUP], and a lone item waits for nobody.
///
/// @param <I> what is written
/// @param <O> what its sender gets back
final class GroupWriter<I, O> implements AutoCloseable {

    private static final int CAPACITY = 8_192;
    private static final int LARGEST_GROUP = 512;

    private record Task<I, O>(I item, CompletableFuture<O> result) {
    }

    private final BlockingQueue<Task<I, O>> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final Function<List<I>, List<O>> commit;
    private final Thread thread;
    private volatile boolean closed;

    /// @param commit writes a group in one transaction and gives back one result for each item, in their order
    GroupWriter(String name, Function<List<I>, List<O>> commit) {
        this.commit = commit;
        this.thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }

    /// Waits until `item` is committed. Errors: [Failure] of kind `UNAVAILABLE` when too much is waiting already, and what
    /// the commit throws.
    O write(I item) {
        Task<I, O> task = new Task<>(item, new CompletableFuture<>());
        if (closed) {
            throw Failure.unavailable("the service is stopping");
        }
        if (!waiting.offer(task)) {
            throw Failure.unavailable("too many writes are waiting; try again later");
        }
        if (closed && waiting.remove(task)) {
            throw Failure.unavailable("the service is stopping");
        }
        try {
            return task.result().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void run() {
        List<Task<I, O>> group = new ArrayList<>(LARGEST_GROUP);
        while (true) {
            try {
                group.add(waiting.take());
            } catch (InterruptedException e) {
                if (waiting.isEmpty()) {
                    return;
                }
            }
            waiting.drainTo(group, LARGEST_GROUP - group.size());
            commit(group);
            group.clear();
            if (closed && waiting.isEmpty()) {
                return;
            }
        }
    }

    private void commit(List<Task<I, O>> group) {
        try {
            List<O> results = commit.apply(group.stream().map(Task::item).toList());
            for (int i = 0; i < group.size(); i++) {
                group.get(i).result().complete(results.get(i));
            }
        } catch (RuntimeException | Error e) {
            group.forEach(task -> task.result().completeExceptionally(e));
        }
    }

    /// Refuses new items and waits until those that are waiting are committed.
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
