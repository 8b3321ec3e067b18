package petstore.memory;

import java.util.Optional;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.UsableMemory;

/// Memory that pages and blocks share: at most a quarter of the heap. Values that are requested least go first.
public final class SharedMemory {

    /// The memory of a key, and of the cache's own objects for it.
    private static final int BYTES_OF_ENTRY = 200;

    /// The key of a value of type `V`.
    @SuppressWarnings("unused") // The parameter is for the compiler.
    public interface Key<V extends Value> {
    }

    public interface Value {

        /// Returns the number of bytes that this value takes of the heap.
        int bytes();
    }

    private final long mostBytes;
    private volatile Cache<Key<?>, Value> values;
    private final Counter hits;
    private final Counter misses;

    public SharedMemory(MeterRegistry meters) {
        this(meters, UsableMemory.bytes() / 4);
    }

    public SharedMemory(MeterRegistry meters, long mostBytes) {
        this.mostBytes = mostBytes;
        this.values = empty();
        MeterProvider<Counter> requests = Counter.builder("petstore.page.cache.requests")
                .description("Requests for pages: from memory (hit), or read from the store (miss).")
                .withRegistry(meters);
        hits = requests.withTag("result", "hit");
        misses = requests.withTag("result", "miss");
        Gauge.builder("petstore.page.cache.bytes", this, SharedMemory::bytes)
                .description("Memory of pages, and of the blocks of animals that they are made of.").baseUnit("bytes")
                .register(meters);
    }

    private Cache<Key<?>, Value> empty() {
        return Caffeine.newBuilder().executor(Runnable::run).maximumWeight(mostBytes)
                .weigher((Key<?> _, Value value) -> value.bytes() + BYTES_OF_ENTRY).build();
    }

    @SuppressWarnings("unchecked") // A value is kept under a key of its type.
    public <V extends Value> Optional<V> find(Key<V> key) {
        return Optional.ofNullable((V) values.getIfPresent(key));
    }

    /// Returns true if there is a value. Does not count as a request for it.
    public boolean contains(Key<?> key) {
        return values.asMap().containsKey(key);
    }

    public <V extends Value> void keep(Key<V> key, V value) {
        values.put(key, value);
    }

    public <V extends Value> void remove(Key<V> key, V value) {
        var _ = values.asMap().remove(key, value);
    }

    /// Returns true if another value may displace one.
    public boolean isFull() {
        return bytes() > mostBytes - mostBytes / 16;
    }

    public long mostBytes() {
        return mostBytes;
    }

    private long bytes() {
        return values.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }

    public void clear() {
        values = empty();
    }

    /// Counts a request for a page that is answered from memory.
    public void hit() {
        hits.increment();
    }

    /// Counts a request for a page that reads the store.
    public void missed() {
        misses.increment();
    }
}
