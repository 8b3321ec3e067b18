package petstore.store.queue;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/// Metrics of queues: their lengths, and the sizes and durations of groups.
public final class QueueMetrics {

    private QueueMetrics() {
    }

    /// Returns the same work, with metrics of its groups.
    public static <I, O> Function<List<I>, List<O>> measured(String queue, Function<List<I>, List<O>> work,
            MeterRegistry meters) {
        DistributionSummary sizes = DistributionSummary.builder("petstore.store.batch.size")
                .description("Operations in a group, e.g. animals in a transaction.").tag("queue", queue)
                .register(meters);
        Timer durations = Timer.builder("petstore.store.batch.duration")
                .description("Duration of a group of operations, e.g. of a transaction.").tag("queue", queue)
                .register(meters);
        return group -> {
            sizes.record(group.size());
            return durations.record(() -> work.apply(group));
        };
    }

    public static void measureLength(String queue, Supplier<Number> waiting, MeterRegistry meters) {
        Gauge.builder("petstore.store.waiting", waiting).description("Queued operations.").tag("queue", queue)
                .register(meters);
    }
}
