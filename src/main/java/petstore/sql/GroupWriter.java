package petstore.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<Task<I, O>> waiting = new ArrayDeque<>();
    private final Function<List<I>, List<O>> commit;
    private final Duration patience;
    private final List<Thread> threads = new ArrayList<>();
    private boolean closed;

    /// @param writers how many groups may be on their way at once
    /// @param patience how long the sender of an item waits
    /// @param commit writes a group in one transaction and gives back one result for each item, in their order
    GroupWriter(String name, int writers, Duration patience, Function<List<I>, List<O>> commit) {
        this.commit = commit;
        this.patience = patience;
        for (int i = 0; i < writers; i++) {
            threads.add(Thread.ofPlatform().name(name + "-" + i).daemon().start(this::run));
        }
    }

    /// Waits until `item` is committed.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` when too much is waiting already, or when it takes too long, in which case it may
    /// be committed later; and what the commit throws.
    O write(I item) {
        Task<I, O> task = new Task<>(item, new CompletableFuture<>());
        enter(task);
        try {
            return task.result().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw leave(task)
                    ? Failure.unavailable("too many writes are waiting; try again later")
                    : Failure.unavailable("the store takes too long; whether this was done is not known");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("the service is stopping; whether this was done is not known");
        }
    }

    private void enter(Task<I, O> task) {
        lock.lock();
        try {
            if (closed) {
                throw Failure.unavailable("the service is stopping");
            }
            if (waiting.size() == CAPACITY) {
                throw Failure.unavailable("too many writes are waiting; try again later");
            }
            waiting.add(task);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /// Takes back a task; false when it is being committed.
    private boolean leave(Task<I, O> task) {
        lock.lock();
        try {
            return waiting.remove(task);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        for (List<Task<I, O>> group = next(); !group.isEmpty(); group = next()) {
            commit(group);
        }
    }

    /// Waits for a group; an empty one says that there will be no more.
    private List<Task<I, O>> next() {
        List<Task<I, O>> group = new ArrayList<>();
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                arrived.awaitUninterruptibly();
            }
            for (Task<I, O> task = waiting.poll(); task != null; task = waiting.poll()) {
                group.add(task);
                if (group.size() == LARGEST_GROUP) {
                    break;
                }
            }
            return group;
        } finally {
            lock.unlock();
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
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
