package petstore.store.queue;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/// Queues whose length, group sizes and durations are metrics.
public final class MeasuredQueue {

    private MeasuredQueue() {
    }

    /// Returns a queue of writes.
    ///
    /// @param work returns one result for each item of a group, in their order
    public static <I, O> WorkQueue<I, O> ofWrites(String name, int threads, Duration patience,
            Function<List<I>, List<O>> work, MeterRegistry meters) {
        DistributionSummary sizes = DistributionSummary.builder("petstore.store.batch.size")
                .description("Operations in a group, e.g. animals in a transaction.").tag("queue", name)
                .register(meters);
        Timer durations = Timer.builder("petstore.store.batch.duration")
                .description("Duration of a group of operations, e.g. of a transaction.").tag("queue", name)
                .register(meters);
        WorkQueue<I, O> queue = new WorkQueue<>(name, WorkQueue.Limits.ofWrites(patience),
                Collections.nCopies(threads, group -> {
                    sizes.record(group.size());
                    return durations.record(() -> work.apply(group));
                }));
        measureLength(name, queue::waiting, meters);
        return queue;
    }

    /// Returns a queue on which one call of `work` serves all callers that wait.
    public static <O> WorkQueue<Boolean, O> ofSharedWork(String name, Duration patience, Supplier<O> work,
            MeterRegistry meters) {
        return ofWrites(name, 1, patience, callers -> Collections.nCopies(callers.size(), work.get()), meters);
    }

    /// Registers the gauge of the number of items that wait.
    public static void measureLength(String name, Supplier<Number> waiting, MeterRegistry meters) {
        Gauge.builder("petstore.store.waiting", waiting).description("Queued operations.").tag("queue", name)
                .register(meters);
    }
}
