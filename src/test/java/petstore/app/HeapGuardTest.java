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

    /// The caller is an event loop.
    @Test
    void collectsOnAnotherThreadAndOnceASecond() {
        Queue<Runnable> requested = new ArrayDeque<>();
        AtomicInteger relieved = new AtomicInteger();
        HeapGuard guard = new HeapGuard(0, relieved::incrementAndGet, requested::add);
        System.gc();
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
    void reportsAFullHeapUntilItIsFreed() {
        MemoryPoolMXBean pool = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(each -> each.getType() == MemoryType.HEAP && each.isUsageThresholdSupported()).findFirst()
                .orElseThrow();
        System.gc();
        double most = pool.getUsage().getUsed() + MEGABYTES / 2 * 1024.0 * 1024;
        List<byte[]> objects = new ArrayList<>();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            HeapGuard guard = new HeapGuard(most / pool.getUsage().getMax(), () -> {
            }, thread);
            assertThat(guard.isShort()).isFalse();
            for (int i = 0; i < MEGABYTES; i++) {
                objects.add(new byte[1024 * 1024]);
            }
            System.gc();
            await().until(guard::isShort);
            assertThat(objects).hasSize(MEGABYTES);
            objects.clear();
            await().until(() -> !guard.isShort());
        }
    }
}
