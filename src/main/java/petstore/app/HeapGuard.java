package petstore.app;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells when the heap is nearly full, so that the server refuses connections. For any number of threads.
///
/// The number of connections alone does not bound their memory: a connection takes 3 KB of the heap, with TLS 12 KB, and 8 KB of
/// short header fields take 135 KB until they are complete.
final class HeapGuard {

    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);
    private static final double MOST_USED = 0.8;
    private static final Duration BETWEEN_COLLECTIONS = Duration.ofSeconds(1);

    /// The memory pool of long-lived objects.
    private final MemoryPoolMXBean oldGeneration = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
            .findFirst().orElseThrow();
    private final long mostBytes = (long) (MOST_USED * (oldGeneration.getUsage().getMax() > 0
            ? oldGeneration.getUsage().getMax()
            : Runtime.getRuntime().maxMemory()));
    private final Runnable relief;
    private long collectedNs = System.nanoTime() - BETWEEN_COLLECTIONS.toNanos();

    /// @param relief frees memory of what can be made again
    HeapGuard(Runnable relief) {
        this.relief = relief;
    }

    /// Returns true if no more memory may be taken. Takes a microsecond.
    ///
    /// Garbage counts until it is collected. If too much is used, this frees what can be made again and collects the garbage, at most
    /// once a second.
    boolean isShort() {
        return usedBytes() > mostBytes && isShortOfLive();
    }

    private synchronized boolean isShortOfLive() {
        if (System.nanoTime() - collectedNs >= BETWEEN_COLLECTIONS.toNanos()) {
            relief.run();
            System.gc();
            collectedNs = System.nanoTime();
            if (usedBytes() > mostBytes) {
                LOG.warn("Memory is short: connections are refused, and those that send slowly are closed;"
                        + " see --max-connections, or give Java more memory (PETSTORE_JAVA_OPTIONS=-Xmx…)");
            }
        }
        return usedBytes() > mostBytes;
    }

    private long usedBytes() {
        return oldGeneration.getUsage().getUsed();
    }
}
