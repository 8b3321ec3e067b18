package petstore.app;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The guard over the heap of the tests' own process.
class HeapGuardTest {

    private static final int MEGABYTES = 64;
    private static final MemoryPoolMXBean POOL = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported()).findFirst()
            .orElseThrow();

    private final Queue<Runnable> requested = new ArrayDeque<>();
    private final AtomicInteger relieved = new AtomicInteger();

    /// The caller is an event loop.
    @Test
    void collectsOnAnotherThreadAndOnceASecond() {
        System.gc();
        HeapGuard guard = new HeapGuard(0, relieved::incrementAndGet, requested::add);
        assertThat(guard.isShort()).isTrue();
        assertThat(guard.isShort()).isTrue();
        assertThat(requested).hasSize(1);
        assertThat(relieved).hasValue(0);
        requested.remove().run();
        assertThat(guard.isShort()).isTrue();
        assertThat(relieved).hasValue(1);
        assertThat(requested).isEmpty();
    }

    @Test
    void collectsBeforeGarbageMakesMemoryShort() {
        System.gc();
        HeapGuard guard = new HeapGuard(1.05 * POOL.getUsage().getUsed() / POOL.getUsage().getMax(),
                relieved::incrementAndGet, requested::add);
        assertThat(guard.isShort()).isFalse();
        assertThat(requested).hasSize(1);
        requested.remove().run();
        assertThat(relieved).as("nothing is freed that is not garbage").hasValue(0);
    }

    @Test
    void reportsAFullHeapUntilItIsFreed() {
        System.gc();
        double most = POOL.getUsage().getUsed() + MEGABYTES / 2 * 1024.0 * 1024;
        List<byte[]> objects = new ArrayList<>();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            HeapGuard guard = new HeapGuard(most / POOL.getUsage().getMax(), relieved::incrementAndGet, thread);
            assertThat(guard.isShort()).isFalse();
            for (int i = 0; i < MEGABYTES; i++) {
                objects.add(new byte[1024 * 1024]);
            }
            System.gc();
            assertThat(guard.isShort()).isTrue();
            await().until(() -> relieved.get() > 0);
            assertThat(guard.isShort()).isTrue();
            assertThat(objects).hasSize(MEGABYTES);
            objects.clear();
            await().until(() -> !guard.isShort());
        }
    }
}
