package petstore.http.server;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;

/// The limit of a listener's connections, and their counters. The listener's event loops share it.
///
/// @param active the number of connections with a request in flight
/// @param memoryIsShort true if nothing more may be kept in memory
/// @param mostOffHeapBytes the bytes off-heap above which clients must read their responses
record ConnectionLimit(int most, AtomicInteger open, LongAdder active, Counter refused, Counter displaced,
        BooleanSupplier memoryIsShort, long mostOffHeapBytes) {

    /// Returns the limit of a new listener, and registers its counters as metrics.
    static ConnectionLimit of(String listener, int most, BooleanSupplier memoryIsShort, long mostOffHeapBytes,
            MeterRegistry meters) {
        ConnectionLimit limit = new ConnectionLimit(most, new AtomicInteger(), new LongAdder(),
                counter("petstore.refused.connections",
                        "Connections closed because of --max-connections or a lack of memory.", listener, meters),
                counter("petstore.displaced.connections",
                        "Connections without a request, closed at --max-connections for new ones.", listener, meters),
                memoryIsShort, mostOffHeapBytes);
        byState("active", limit.active::sum, listener, meters);
        byState("idle", () -> Math.max(0, limit.open.get() - limit.active.sum()), listener, meters);
        return limit;
    }

    private static Counter counter(String name, String description, String listener, MeterRegistry meters) {
        return Counter.builder(name).description(description).tag("listener", listener).register(meters);
    }

    private static void byState(String state, Supplier<Number> number, String listener, MeterRegistry meters) {
        Gauge.builder("petstore.connections", number)
                .description("Open connections: active while a request is in flight, else idle.")
                .tag("listener", listener).tag("state", state).register(meters);
    }

    boolean isExceeded() {
        return open.get() > most;
    }

    boolean isShort() {
        return memoryIsShort.getAsBoolean();
    }

    /// Returns true if memory is short, also if only that off-heap is, where unread responses wait.
    boolean mustClientsRead() {
        return isShort() || PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() > mostOffHeapBytes;
    }
}
