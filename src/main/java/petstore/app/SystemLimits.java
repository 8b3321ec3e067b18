package petstore.app;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import petstore.Failure;

/// Limits of threads and of open files that the operating system or a container sets.
///
/// A missing thread is noticed too late: connections, or a signal to stop, would wait for it forever.
public final class SystemLimits {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    /// Event loops, readers of the store and carriers of virtual threads grow with the processors. The others include short-lived
    /// threads, e.g. of a signal, and those of a database or of traces.
    private static final int THREADS = 30 + 4 * PROCESSORS;
    /// Libraries, the store, sockets of event loops, and a few connections.
    private static final int FILES = 48 + 8 * PROCESSORS;

    private SystemLimits() {
    }

    /// Does nothing if the process may have the threads and files of a service. Errors: [Failure] of kind `UNAVAILABLE` that names
    /// the limit.
    public static void requireRoomForService() {
        requireFiles();
        requireThreads();
    }

    private static void requireFiles() {
        List<FileInputStream> files = new ArrayList<>();
        try {
            try {
                while (files.size() < FILES) {
                    files.add(new FileInputStream("/dev/null"));
                }
            } finally {
                for (FileInputStream file : files) {
                    file.close();
                }
            }
        } catch (IOException e) {
            throw tooLow("open files", FILES - files.size(), "ulimit -n, LimitNOFILE= of systemd, --ulimit of Docker",
                    e);
        }
    }

    private static void requireThreads() {
        List<Thread> threads = new ArrayList<>();
        try {
            while (threads.size() < THREADS) {
                threads.add(Thread.ofPlatform().daemon().start(SystemLimits::waitForInterrupt));
            }
        } catch (OutOfMemoryError e) {
            throw tooLow("processes", THREADS - threads.size(),
                    "ulimit -u, TasksMax= of systemd, --pids-limit of Docker", e);
        } finally {
            threads.forEach(Thread::interrupt);
            try {
                for (Thread thread : threads) {
                    thread.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void waitForInterrupt() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
    }

    private static Failure tooLow(String limit, int missing, String names, Throwable cause) {
        return new Failure(Failure.Kind.UNAVAILABLE,
                "the limit of " + limit + " is too low; raise it by " + missing + " at least (" + names + ")", cause);
    }
}
