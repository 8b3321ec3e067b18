package petstore.cli.doctor;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import com.sun.management.UnixOperatingSystemMXBean;
import petstore.CommandFailure;
import petstore.app.Build;
import petstore.app.SystemLimits;
import petstore.http.server.ServerSettings;

/// Checks of Java and of the operating system.
record SystemChecks(ServerSettings server, Instant now) {

    private static final long MIB = 1 << 20;
    /// Files of libraries and of the store.
    private static final long OTHER_FILES = 256;
    private static final UnixOperatingSystemMXBean SYSTEM = ManagementFactory
            .getPlatformMXBean(UnixOperatingSystemMXBean.class);
    private static final Instant BUILT_AFTER = Instant.parse("2025-01-01T00:00:00Z");

    List<Finding> findings() {
        return List.of(Finding.ok("petstore", Build.running().toString()), java(), memory(), files(), threads(),
                temporaryFolder(), clock());
    }

    private static Finding java() {
        return Finding.ok("java", Runtime.version() + ", " + System.getProperty("java.vendor") + ", "
                + System.getProperty("java.home") + ", on " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " (" + System.getProperty("os.arch") + ")");
    }

    private static Finding memory() {
        long heap = Runtime.getRuntime().maxMemory() / MIB;
        long total = SYSTEM.getTotalMemorySize() / MIB;
        String text = "a heap of up to " + heap + " MiB; the machine or container has " + total + " MiB, "
                + SYSTEM.getAvailableProcessors() + " processors";
        // Unread responses may use off-heap memory up to half the heap size.
        return heap + heap / 2 + 64 > total
                ? Finding.warn("memory", text, "give it more memory, or lower -Xmx in PETSTORE_JAVA_OPTIONS")
                : Finding.ok("memory", text);
    }

    private Finding files() {
        long most = SYSTEM.getMaxFileDescriptorCount();
        String text = "a limit of " + most + ", with --max-connections " + server.maxConnections();
        return most < server.maxConnections() + OTHER_FILES
                ? Finding.warn("open files", text, "raise the limit to " + (server.maxConnections() + OTHER_FILES)
                        + " or more (ulimit -n, LimitNOFILE=), or lower --max-connections")
                : Finding.ok("open files", text);
    }

    private static Finding threads() {
        try {
            SystemLimits.requireRoomForService();
            return Finding.ok("limits", "enough open files and processes for a start");
        } catch (CommandFailure e) {
            return Finding.fail("limits", e);
        }
    }

    private static Finding temporaryFolder() {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        return Files.isDirectory(folder) && Files.isWritable(folder)
                ? Finding.ok("temporary files", folder.toString())
                : Finding.warn("temporary files", folder + " cannot be written",
                        "the import of a stream needs it: PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER");
    }

    private Finding clock() {
        String text = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return now.isBefore(BUILT_AFTER)
                ? Finding.fail("clock", text + " is in the past", "set the clock: certificates expire by it")
                : Finding.ok("clock", text);
    }
}
