package petstore.store.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import petstore.Failure;

/// Does at once whatever is waiting to be done, so that one wait for the disk or the database serves many clients.
///
/// While a batch is on its way the next one gathers: the busier the store, the larger its batches, up to [#LARGEST_BATCH], and
/// a lone item waits for nobody. What is done with an item begins after it was handed over.
///
/// @param <I> what is handed over
/// @param <O> what its sender gets back
public final class Batcher<I, O> implements AutoCloseable {

    /// The description of the gauge `petstore.store.waiting`.
    public static final String WAITING = "Queued operations.";

    private static final int CAPACITY = 8_192;
    private static final int LARGEST_BATCH = 512;

    /// The longest wait before others are refused at once, as a part of the senders' patience.
    private static final int PART_OF_PATIENCE = 4;

    /// How often late items are looked for while one may wait.
    private static final int LOOKS = 20;

    private record Task<I, O>(I item, CompletableFuture<O> result, long sinceNs) {
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<Task<I, O>> waiting = new ArrayDeque<>();
    private final Set<List<Task<I, O>>> inFlight = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ScheduledExecutorService clock;
    private final Function<List<I>, List<O>> work;
    private final Duration patience;
    private final AdmissionControl admission;
    private final List<Thread> threads = new ArrayList<>();
    private final DistributionSummary sizes;
    private final Timer durations;
    private boolean started;
    private boolean closed;

    /// @param size how many batches may be on their way at once
    /// @param patience how long the sender of an item waits
    /// @param work does what a batch asks for, and gives back one result for each item, in their order
    /// @param meters where is measured how much waits, how large batches are, and how long each takes
    public Batcher(String name, int size, Duration patience, Function<List<I>, List<O>> work, MeterRegistry meters) {
        this.work = work;
        Gauge.builder("petstore.store.waiting", this, Batcher::waiting).description(WAITING).tag("queue", name)
                .register(meters);
        this.sizes = DistributionSummary.builder("petstore.store.batch.size")
                .description("What was done together, e.g. animals in one transaction.").tag("queue", name)
                .register(meters);
        this.durations = Timer.builder("petstore.store.batch.duration")
                .description("How long it took, e.g. to commit a transaction.").tag("queue", name).register(meters);
        this.patience = patience;
        this.admission = new AdmissionControl(patience.toNanos() / PART_OF_PATIENCE, size);
        for (int i = 0; i < size; i++) {
            threads.add(Thread.ofPlatform().name(name + "-" + i).daemon().unstarted(this::run));
        }
        clock = Executors
                .newSingleThreadScheduledExecutor(Thread.ofPlatform().name(name + "-clock").daemon().factory());
    }

    /// Starts the threads at the first item: a command hands over none. Throws OutOfMemoryError if the system allows no more
    /// threads; the next item tries again.
    private void start() {
        threads.stream().filter(thread -> thread.getState() == Thread.State.NEW).forEach(Thread::start);
        long pauseNs = patience.toNanos() / LOOKS;
        var _ = clock.scheduleWithFixedDelay(this::giveUp, pauseNs, pauseNs, TimeUnit.NANOSECONDS);
        started = true;
    }

    /// Hands over an item; the future comes when the work on it is done, on a thread of the batcher.
    ///
    /// It fails with [Failure] of kind `UNAVAILABLE` when too much is waiting already, or when it takes too long, in which case
    /// it may be done later; and with what the work throws.
    public CompletableFuture<O> submit(I item) {
        Task<I, O> task = new Task<>(item, new CompletableFuture<>(), System.nanoTime());
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(Failure.unavailable("the service is stopping"));
            }
            if (waiting.size() == CAPACITY || !admission.admits(waiting.size() / LARGEST_BATCH)) {
                return CompletableFuture.failedFuture(overloaded());
            }
            if (!started) {
                start();
            }
            waiting.add(task);
            arrived.signal();
        } catch (OutOfMemoryError e) {
            return CompletableFuture.failedFuture(Failure.noThread(e));
        } finally {
            lock.unlock();
        }
        return task.result();
    }

    private static Failure overloaded() {
        return Failure.unavailable("too much is waiting; try again later");
    }

    /// Gives up what has waited for too long.
    private void giveUp() {
        long latest = System.nanoTime() - patience.toNanos();
        List<Task<I, O>> late = new ArrayList<>();
        List<Task<I, O>> begun;
        lock.lock();
        try {
            while (!waiting.isEmpty() && waiting.element().sinceNs() - latest < 0) {
                late.add(waiting.remove());
            }
            begun = inFlight.stream().flatMap(List::stream).filter(task -> task.sinceNs() - latest < 0).toList();
        } finally {
            lock.unlock();
        }
        late.forEach(task -> task.result().completeExceptionally(overloaded()));
        begun.forEach(task -> task.result().completeExceptionally(
                Failure.unavailable("the store takes too long; whether this was done is not known")));
    }

    private void run() {
        for (List<Task<I, O>> batch = next(); !batch.isEmpty(); batch = next()) {
            perform(batch);
        }
    }

    /// Waits for a batch; an empty one says that there will be no more.
    private List<Task<I, O>> next() {
        List<Task<I, O>> batch = new ArrayList<>();
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                arrived.awaitUninterruptibly();
            }
            for (Task<I, O> task = waiting.poll(); task != null; task = waiting.poll()) {
                batch.add(task);
                if (batch.size() == LARGEST_BATCH) {
                    break;
                }
            }
            inFlight.add(batch);
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private void perform(List<Task<I, O>> batch) {
        sizes.record(batch.size());
        durations.record(() -> performNow(batch));
    }

    private void performNow(List<Task<I, O>> batch) {
        long beganNs = System.nanoTime();
        try {
            List<O> results = work.apply(batch.stream().map(Task::item).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).result().complete(results.get(i));
            }
        } catch (RuntimeException | Error e) {
            batch.forEach(task -> task.result().completeExceptionally(e));
        }
        admission.recordDuration(System.nanoTime() - beganNs);
        lock.lock();
        try {
            inFlight.remove(batch);
        } finally {
            lock.unlock();
        }
    }

    /// Refuses new items and waits until the work on those that are waiting is done.
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
                // Returns at once for a thread that never started.
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clock.shutdownNow();
    }
}
