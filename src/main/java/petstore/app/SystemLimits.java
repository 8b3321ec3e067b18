package petstore.app;

import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;

import com.sun.management.UnixOperatingSystemMXBean;
import petstore.CommandFailure;

/// Limits of threads and open files that the operating system or a container sets.
///
/// They are checked at the start. Later, connections or a signal to stop would wait forever for a thread that cannot be started.
public final class SystemLimits {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    /// Event loops, readers of the store and carriers of virtual threads grow with the processors. The constant part includes short-lived
    /// threads, e.g. of a signal, and those of a database or of traces.
    private static final int THREADS = 30 + 4 * PROCESSORS;
    /// Libraries, the store, sockets of event loops, and a few connections.
    private static final int FILES = 48 + 8 * PROCESSORS;

    private SystemLimits() {
    }

    /// Throws a [CommandFailure] that names the limit, if it is too low for a service.
    public static void requireRoomForService() {
        UnixOperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
        long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount();
        if (free < FILES) {
            throw new CommandFailure(tooLow("open files", FILES - free,
                    "ulimit -n, LimitNOFILE= of systemd, --ulimit of Docker"));
        }
        try (ThreadPoolExecutor threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(THREADS)) {
            try {
                threads.prestartAllCoreThreads();
            } catch (OutOfMemoryError e) {
                throw new CommandFailure(tooLow("processes", THREADS - threads.getPoolSize(),
                        "ulimit -u, TasksMax= of systemd, --pids-limit of Docker"), e);
            }
        }
    }

    private static String tooLow(String limit, long missing, String names) {
        return "the limit of " + limit + " is too low; raise it by at least " + missing + " (" + names + ")";
    }
}
