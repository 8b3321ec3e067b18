package petstore.store.queue;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.Failure.Unavailability;

/// A reading that takes time. Callers that arrive during one share the next, because the value may have changed since it began.
public final class SharedReading<T> implements AutoCloseable {

    private final WorkQueue<Object, T> callers;

    /// @param name the name of the thread, and of the queue in metrics
    /// @param patience a caller that has no value by then gets a failure
    /// @param reading called by one thread at a time
    public SharedReading(String name, Duration patience, Supplier<T> reading, MeterRegistry meters) {
        callers = new WorkQueue<>(name, 1, patience, Unavailability.STORE_LATE,
                group -> Collections.nCopies(group.size(), reading.get()), meters);
    }

    /// Returns the value of a reading that begins after this call. Errors: as for [WorkQueue#submit].
    public CompletableFuture<T> next() {
        return callers.submit(new Object());
    }

    @Override
    public void close() {
        callers.close();
    }
}
