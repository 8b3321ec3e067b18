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

/// The heap guard, on the heap of the JVM that runs the tests.
class HeapGuardTest {

    private static final int MEGABYTES = 64;
    private static final MemoryPoolMXBean POOL = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported()).findFirst()
            .orElseThrow();

    private final Queue<Runnable> submitted = new ArrayDeque<>();
    private final AtomicInteger reliefs = new AtomicInteger();

    /// The caller is an event loop, which must not wait for a collection.
    @Test
    void collectsOnOtherThreadAtMostOncePerSecond() {
        System.gc();
        HeapGuard guard = new HeapGuard(0, reliefs::incrementAndGet, submitted::add);
        assertThat(guard.isShort()).isTrue();
        assertThat(guard.isShort()).isTrue();
        assertThat(submitted).hasSize(1);
        assertThat(reliefs).hasValue(0);
        submitted.remove().run();
        assertThat(guard.isShort()).isTrue();
        assertThat(reliefs).hasValue(1);
        assertThat(submitted).isEmpty();
    }

    @Test
    void collectsGarbageBeforeMemoryIsShort() {
        System.gc();
        HeapGuard guard = new HeapGuard(1.05 * POOL.getUsage().getUsed() / POOL.getUsage().getMax(),
                reliefs::incrementAndGet, submitted::add);
        assertThat(guard.isShort()).isFalse();
        assertThat(submitted).hasSize(1);
        submitted.remove().run();
        assertThat(reliefs).as("no relief, because a collection is enough").hasValue(0);
    }

    @Test
    void reportsFullHeapUntilMemoryIsFreed() {
        System.gc();
        double mostBytes = POOL.getUsage().getUsed() + MEGABYTES / 2 * 1024.0 * 1024;
        List<byte[]> objects = new ArrayList<>();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            HeapGuard guard = new HeapGuard(mostBytes / POOL.getUsage().getMax(), reliefs::incrementAndGet, thread);
            assertThat(guard.isShort()).isFalse();
            for (int i = 0; i < MEGABYTES; i++) {
                objects.add(new byte[1024 * 1024]);
            }
            System.gc();
            assertThat(guard.isShort()).isTrue();
            await().until(() -> reliefs.get() > 0);
            assertThat(guard.isShort()).isTrue();
            assertThat(objects).hasSize(MEGABYTES);
            objects.clear();
            await().until(() -> !guard.isShort());
        }
    }
}
