package petstore.store.postgres;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import petstore.Failure;
import petstore.store.queue.AdmissionControl;

/// Limits how many reads use the database at once; the others wait in order, or are refused if they would wait too long.
final class ReadTurns {

    private static final Duration PATIENCE = Duration.ofMillis(300);
    private static final int CAPACITY = 1_024;

    private final Semaphore readers;
    private final AdmissionControl admission;

    ReadTurns(int readers) {
        this.readers = new Semaphore(readers, true);
        this.admission = new AdmissionControl(PATIENCE.toNanos() / 2, readers);
    }

    /// Waits for a turn, and returns the result of `read`. Errors: [Failure] of kind `UNAVAILABLE` if too many reads wait.
    <T> T take(Supplier<T> read) {
        int waiting = waiting();
        if (waiting >= CAPACITY || !admission.admits(waiting) || !acquire()) {
            throw Failure.unavailable("too many reads are waiting; try again later");
        }
        long beganNs = System.nanoTime();
        try {
            return read.get();
        } finally {
            readers.release();
            admission.recordDuration(System.nanoTime() - beganNs);
        }
    }

    /// Returns the number of reads that wait.
    int waiting() {
        return readers.getQueueLength();
    }

    private boolean acquire() {
        try {
            return readers.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("the service is stopping");
        }
    }
}
