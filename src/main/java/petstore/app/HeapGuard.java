package petstore.app;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.UsableMemory;

/// Reports a nearly full heap, so that the server refuses connections, and frees pages and blocks. For any number of threads.
///
/// The number of connections alone does not bound their memory: a connection takes 3 KB of the heap, with TLS 11 KB. 8 KB of
/// short header fields take 135 KB until they are complete.
final class HeapGuard {

    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);
    /// The default of the part of the old generation that may be used.
    static final double MOST_USED = 0.8;
    private static final Duration BETWEEN_COLLECTIONS = Duration.ofSeconds(1);

    private final MemoryPoolMXBean oldGeneration = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
            .findFirst().orElseThrow();
    private final long mostBytes;
    private final Runnable relief;
    private final Executor thread;
    private final AtomicBoolean collecting = new AtomicBoolean();
    private volatile long collectedNanos = System.nanoTime() - BETWEEN_COLLECTIONS.toNanos();
    /// The bytes in use after the last collection that this class requested.
    private volatile long leftBytes;

    /// @param relief frees the memory of objects that can be created again
    /// @param thread runs `relief` and collections, which would block an event loop
    HeapGuard(double mostUsed, Runnable relief, Executor thread) {
        long most = oldGeneration.getUsage().getMax();
        this.mostBytes = (long) (mostUsed * Math.min(most > 0 ? most : Long.MAX_VALUE, UsableMemory.bytes()));
        this.relief = relief;
        this.thread = thread;
    }

    /// Returns true if no more memory may be taken. Takes a microsecond and never waits.
    ///
    /// Garbage counts until it is collected. So when the heap fills, this requests a collection before it returns true, and then at most
    /// once a second.
    boolean isShort() {
        long used = usedBytes();
        boolean isFilling = used > mostBytes / 8 * 7 && used - leftBytes > mostBytes / 16;
        if ((used > mostBytes || isFilling) && System.nanoTime() - collectedNanos >= BETWEEN_COLLECTIONS.toNanos()
                && collecting.compareAndSet(false, true)) {
            thread.execute(this::collect);
        }
        return used > mostBytes;
    }

    private void collect() {
        try {
            if (usedBytes() > mostBytes) {
                relief.run();
            }
            System.gc();
            leftBytes = usedBytes();
            if (leftBytes > mostBytes) {
                LOG.warn("memory is short: connections are refused, and connections that send slowly are closed;"
                        + " see --max-connections, or give Java more memory (PETSTORE_JAVA_OPTIONS=-Xmx…)");
            }
        } finally {
            collectedNanos = System.nanoTime();
            collecting.set(false);
        }
    }

    private long usedBytes() {
        return oldGeneration.getUsage().getUsed();
    }
}
