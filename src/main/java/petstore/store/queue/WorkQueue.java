package petstore.store.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import petstore.Failure;
import petstore.Failure.Unavailability;

/// Threads that work on queued items in groups. A free thread takes several waiting items, so that one commit or one round trip serves many
/// clients. A read sees all that was committed before it was submitted.
public final class WorkQueue<I, O> implements AutoCloseable {

    /// Fails late items of all queues. It has no thread until there is an item.
    private static final ScheduledThreadPoolExecutor CLOCK = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("store-clock").daemon().factory());

    /// The number of checks for late items within the patience.
    private static final int CHECKS = 20;
    /// A new measurement has 1/16 of the weight.
    private static final int WEIGHT = 16;

    /// The limits of a queue.
    ///
    /// @param capacity the number of items that may wait
    /// @param largestGroup the number of items that a thread takes at once
    /// @param longestWait items whose estimated wait is longer are refused
    /// @param patience items that are not done by then fail
    /// @param overdue the code of items that are not done by then
    /// @param shared true if a group takes as long as one item, e.g. a commit. Then a free thread takes all waiting items, and [#close]
    ///        waits for them. Otherwise the threads share the items, and [#close] refuses them.
    public record Limits(int capacity, int largestGroup, Duration longestWait, Duration patience,
            Unavailability overdue,
            boolean shared) {

        static Limits ofSharedWork(Duration patience, Unavailability overdue) {
            // Duration.dividedBy would initialise BigDecimal, which takes a twentieth of the start.
            return new Limits(8_192, 512, Duration.ofNanos(patience.toNanos() / 4), patience, overdue, true);
        }

        public static Limits ofReads(int largestGroup, Duration patience) {
            return new Limits(1_024, largestGroup, Duration.ofMillis(250), patience, Unavailability.STORE_LATE, false);
        }
    }

    private record Task<I, O>(I item, CompletableFuture<O> result, long sinceNs) {

        boolean isLate(Duration patience) {
            return System.nanoTime() - sinceNs > patience.toNanos();
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<Task<I, O>> waiting = new ArrayDeque<>();
    private final List<Worker> workers;
    private final Limits limits;
    private final BiPredicate<I, I> joins;
    /// The estimated duration of a unit of work, from the durations of recent ones.
    private final AtomicLong unitNs = new AtomicLong();
    private Optional<Future<?>> checks = Optional.empty();
    private boolean closed;

    /// @param work one function for each thread; it returns one result for each item of a group, in their order. A result that is a
    ///        `RuntimeException` fails its item alone
    public WorkQueue(String name, Limits limits, List<Function<List<I>, List<O>>> work) {
        this(name, limits, work, (_, _) -> true);
    }

    /// @param joins true if the second item may be in the group of the first
    public WorkQueue(String name, Limits limits, List<Function<List<I>, List<O>>> work, BiPredicate<I, I> joins) {
        this.limits = limits;
        this.joins = joins;
        Thread.Builder threads = Thread.ofPlatform().daemon().name(name + "-", 0);
        this.workers = work.stream().map(each -> new Worker(each, threads)).toList();
    }

    /// A queue with metrics, of items that share the work of their group, e.g. writes that wait for one commit.
    ///
    /// @param work as above, but called by all threads
    public WorkQueue(String name, int threads, Duration patience, Unavailability overdue,
            Function<List<I>, List<O>> work, MeterRegistry meters) {
        this(name, Limits.ofSharedWork(patience, overdue), Collections.nCopies(threads, measured(name, work, meters)));
        measureLength(name, this::waiting, meters);
    }

    private static <I, O> Function<List<I>, List<O>> measured(String name, Function<List<I>, List<O>> work,
            MeterRegistry meters) {
        DistributionSummary sizes = DistributionSummary.builder("petstore.store.batch.size")
                .description("Operations in a group, e.g. animals in a transaction.").tag("queue", name)
                .register(meters);
        Timer durations = Timer.builder("petstore.store.batch.duration")
                .description("Duration of a group of operations, e.g. of a transaction.").tag("queue", name)
                .register(meters);
        return group -> {
            sizes.record(group.size());
            return durations.record(() -> work.apply(group));
        };
    }

    /// Registers the length of a queue as a metric.
    public static void measureLength(String name, Supplier<Number> waiting, MeterRegistry meters) {
        Gauge.builder("petstore.store.waiting", waiting).description("Queued operations.").tag("queue", name)
                .register(meters);
    }

    /// Submits an item. The future completes on a thread of the queue, with the result or the exception of the work.
    ///
    /// It fails with a [Failure] of kind `UNAVAILABLE` if too many items wait, if the queue is closed, or if the work takes too long. In
    /// the last case, the work on the item may continue.
    public CompletableFuture<O> submit(I item) {
        Task<I, O> task = new Task<>(item, new CompletableFuture<>(), System.nanoTime());
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(stopping());
            }
            if (waiting.size() == limits.capacity() || !admits()) {
                return CompletableFuture.failedFuture(overloaded(Unavailability.QUEUE_FULL));
            }
            if (checks.isEmpty()) {
                start();
            }
            waiting.add(task);
            arrived.signal();
            return task.result();
        } catch (OutOfMemoryError e) {
            return CompletableFuture.failedFuture(Failure.noThread(e));
        } finally {
            lock.unlock();
        }
    }

    /// Returns false if another item would wait too long. The first, or the first group, may always wait, so that the estimate is renewed.
    private boolean admits() {
        int before = units(waiting.size());
        return before == 0 || before * (unitNs.get() / workers.size()) <= limits.longestWait().toNanos();
    }

    /// Returns the number of units of work for `items`: groups that share it, or single items.
    private int units(int items) {
        return limits.shared() ? items / limits.largestGroup() : items;
    }

    /// Starts the threads at the first item. If the system allows no more threads, the next item tries again.
    private void start() {
        workers.stream().map(worker -> worker.thread).filter(thread -> thread.getState() == Thread.State.NEW)
                .forEach(Thread::start);
        // Otherwise a check would stay scheduled although its thread cannot be started, and each item would add one.
        CLOCK.prestartCoreThread();
        long pauseNs = limits.patience().toNanos() / CHECKS;
        checks = Optional
                .of(CLOCK.scheduleWithFixedDelay(this::failLateItems, pauseNs, pauseNs, TimeUnit.NANOSECONDS));
    }

    public int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private void failLateItems() {
        List<Task<I, O>> late = new ArrayList<>();
        lock.lock();
        try {
            while (!waiting.isEmpty() && waiting.element().isLate(limits.patience())) {
                late.add(waiting.remove());
            }
        } finally {
            lock.unlock();
        }
        late.forEach(task -> task.result().completeExceptionally(overloaded(Unavailability.QUEUE_LATE)));
        workers.stream().flatMap(worker -> worker.group.stream()).filter(task -> task.isLate(limits.patience()))
                .forEach(task -> task.result().completeExceptionally(
                        new Failure(limits.overdue(), limits.overdue() == Unavailability.OUTCOME_UNKNOWN
                                ? "the store takes too long; the outcome of this request is unknown"
                                : "the store takes too long; try again later")));
    }

    private static Failure overloaded(Unavailability code) {
        return new Failure(code, "too many requests are waiting; try again later");
    }

    private static Failure stopping() {
        return new Failure(Unavailability.STOPPING, "the service is stopping");
    }

    /// A thread that works on one group at a time.
    private final class Worker implements Runnable {

        private final Function<List<I>, List<O>> work;
        private final Thread thread;
        private volatile List<Task<I, O>> group = List.of();

        Worker(Function<List<I>, List<O>> work, Thread.Builder threads) {
            this.work = work;
            this.thread = threads.unstarted(this);
        }

        @Override
        public void run() {
            while (take()) {
                long beganNs = System.nanoTime();
                perform();
                long ns = (System.nanoTime() - beganNs) / Math.max(1, units(group.size()));
                unitNs.updateAndGet(each -> each + (ns - each) / WEIGHT);
                group = List.of();
            }
        }

        /// Waits for a group. Returns false if the queue is closed and empty.
        private boolean take() {
            List<Task<I, O>> next = new ArrayList<>();
            lock.lock();
            try {
                while (waiting.isEmpty() && !closed) {
                    arrived.awaitUninterruptibly();
                }
                int most = Math.min(limits.largestGroup(),
                        limits.shared() ? waiting.size() : waiting.size() / workers.size() + 1);
                while (!waiting.isEmpty() && next.size() < most && (next.isEmpty()
                        || joins.test(next.getFirst().item(), waiting.element().item()))) {
                    next.add(waiting.remove());
                }
            } finally {
                lock.unlock();
            }
            group = next;
            return !next.isEmpty();
        }

        private void perform() {
            try {
                List<O> results = work.apply(group.stream().map(Task::item).toList());
                for (int i = 0; i < results.size(); i++) {
                    if (results.get(i) instanceof RuntimeException reason) {
                        group.get(i).result().completeExceptionally(reason);
                    } else {
                        group.get(i).result().complete(results.get(i));
                    }
                }
            } catch (RuntimeException | Error e) {
                group.forEach(task -> task.result().completeExceptionally(e));
            }
        }
    }

    /// Refuses new items, and waits until the threads end.
    @Override
    public void close() {
        List<Task<I, O>> refused = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            if (!limits.shared()) {
                refused.addAll(waiting);
                waiting.clear();
            }
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        refused.forEach(task -> task.result().completeExceptionally(stopping()));
        try {
            for (Worker worker : workers) {
                // Returns at once for a thread that was not started.
                worker.thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        checks.ifPresent(check -> check.cancel(false));
    }
}
