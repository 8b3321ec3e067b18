package petstore.cli.doctor;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import com.sun.management.UnixOperatingSystemMXBean;
import petstore.UsableMemory;
import petstore.app.Build;

/// Checks of Java and of the operating system.
record SystemChecks(int maxConnections, Instant now) {

    private static final long MIB = 1 << 20;
    /// Files of libraries and of the store.
    private static final long OTHER_FILES = 256;
    private static final UnixOperatingSystemMXBean SYSTEM = ManagementFactory
            .getPlatformMXBean(UnixOperatingSystemMXBean.class);
    private static final Instant BUILT_AFTER = Instant.parse("2025-01-01T00:00:00Z");

    List<Check> all() {
        return List.of(Check.of("petstore", () -> Finding.ok(Build.running().toString())),
                Check.of("java", () -> Finding.ok(Runtime.version() + ", "
                        + System.getProperty("java.vendor") + ", " + System.getProperty("java.home") + ", on "
                        + System.getProperty("os.name") + " " + System.getProperty("os.version") + " ("
                        + System.getProperty("os.arch") + ")")),
                Check.of("aot cache", SystemChecks::cache), Check.of("memory", SystemChecks::memory),
                Check.of("open files", this::files), Check.of("clock", this::clock));
    }

    /// Returns the finding for the launcher's text, which has advice only if something is wrong.
    private static Finding cache() {
        String[] parts = System.getProperty("petstore.cache", "not used: started without the launcher").split("; ", 2);
        return parts.length == 1 ? Finding.ok(parts[0]) : Finding.warn(parts[0], parts[1]);
    }

    private static Finding memory() {
        long heap = UsableMemory.bytes() / MIB;
        long total = SYSTEM.getTotalMemorySize() / MIB;
        String text = "a heap of up to " + heap + " MiB; the machine or container has " + total + " MiB, "
                + SYSTEM.getAvailableProcessors() + " processors";
        // Unread responses may use off-heap memory up to half the heap size.
        return heap + heap / 2 + 64 > total
                ? Finding.warn(text, "give it more memory, or lower -Xmx in PETSTORE_JAVA_OPTIONS")
                : Finding.ok(text);
    }

    private Finding files() {
        long most = SYSTEM.getMaxFileDescriptorCount();
        String text = "a limit of " + most + ", with --max-connections " + maxConnections;
        long needed = maxConnections + OTHER_FILES;
        return most < needed
                ? Finding.warn(text, "raise the limit to " + needed
                        + " or more (ulimit -n, LimitNOFILE=), or lower --max-connections")
                : Finding.ok(text);
    }

    private Finding clock() {
        Instant second = now.truncatedTo(ChronoUnit.SECONDS);
        return second.isBefore(BUILT_AFTER)
                ? Finding.fail(second + " is in the past", "set the clock: certificates expire by it")
                : Finding.ok(second.toString());
    }
}
