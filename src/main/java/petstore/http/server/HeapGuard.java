package petstore.http.server;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How much of the heap is left for what clients send and hold. For any number of threads.
///
/// A connection takes 3 KB of the heap, one with TLS 12 KB, and 8 KB of short header fields 135 KB until they have all come: the
/// number of connections alone does not bound that.
final class HeapGuard {

    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);
    private static final double MOST_USED = 0.8;
    private static final Duration BETWEEN_COLLECTIONS = Duration.ofSeconds(1);

    /// Where what lives longer than a request goes.
    private final MemoryPoolMXBean oldGeneration = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
            .findFirst().orElseThrow();
    private final long mostBytes = (long) (MOST_USED * (oldGeneration.getUsage().getMax() > 0
            ? oldGeneration.getUsage().getMax()
            : Runtime.getRuntime().maxMemory()));
    private final Runnable relief;
    private long collectedNs = System.nanoTime() - BETWEEN_COLLECTIONS.toNanos();

    /// @param relief gives up what can be made again
    HeapGuard(Runnable relief) {
        this.relief = relief;
    }

    /// Whether nothing may begin now that keeps some of the heap. Takes a microsecond.
    ///
    /// Garbage is not told from the rest before it is collected. So when too much is used, this gives up what can be made again,
    /// and has the garbage collected, at most once a second.
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
