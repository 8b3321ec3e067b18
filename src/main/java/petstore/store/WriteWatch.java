package petstore.store;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;

/// Knows whether the last write of a store failed. Then it tries a write every second, until one succeeds.
///
/// There is no thread while writes succeed.
public final class WriteWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WriteWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean failing;
    private @Nullable Thread trials;

    /// Records that a write failed.
    ///
    /// @param trial tries a small write, and reports the result to this watch. It throws nothing
    public synchronized void failed(String reason, Runnable trial) {
        if (!failing) {
            failing = true;
            LOG.error("the store cannot be written; the service is not ready until a write succeeds: {}", reason);
        }
        if (trials == null && closed.getCount() > 0) {
            Thread thread = Thread.ofPlatform().daemon().name("store-write-trials")
                    .unstarted(() -> tryUntilSuccess(trial));
            thread.start();
            trials = thread;
        }
    }

    /// Records that a write succeeded.
    public void succeeded() {
        if (failing) {
            end();
        }
    }

    private synchronized void end() {
        if (failing) {
            failing = false;
            LOG.info("the store can be written again");
        }
    }

    private void tryUntilSuccess(Runnable trial) {
        while (isNeeded()) {
            trial.run();
        }
    }

    /// Waits until a trial is due. Returns false if none is needed any more.
    private boolean isNeeded() {
        try {
            boolean open = !closed.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            synchronized (this) {
                if (open && failing) {
                    return true;
                }
                trials = null;
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Throws [Failure] of kind `UNAVAILABLE` if the last write failed.
    public void requireSuccess() {
        if (failing) {
            throw Failure.unavailable("the store cannot be written; the log has the reason");
        }
    }

    /// Waits for a trial that is running, and ends its thread.
    @Override
    public void close() {
        closed.countDown();
        Thread running;
        synchronized (this) {
            running = trials;
        }
        try {
            if (running != null) {
                running.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
