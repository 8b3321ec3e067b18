package petstore.store;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.Pet;
import petstore.PetStatus;

/// Records whether the last write of a store failed. After a failure it tries a write every second, until one succeeds.
///
/// There is no thread while writes succeed.
public final class WriteWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WriteWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ScheduledThreadPoolExecutor trials = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("store-write-trials").factory());
    private final Callable<?> trial;
    private final Outage outage = new Outage(LOG, Level.ERROR,
            "the store cannot be written; the service is not ready until a write succeeds",
            "the store can be written again");
    private boolean isScheduled;
    private boolean lacksThread;

    /// @param trial tries a small write, and reports the result to this watch
    public WriteWatch(Callable<?> trial) {
        this.trial = trial;
        trials.setKeepAliveTime(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        trials.allowCoreThreadTimeOut(true);
        trials.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    public synchronized void failed(String reason) {
        outage.failed(reason);
        scheduleTrial();
    }

    /// Schedules a trial if one is needed. If the system allows no more threads, the next call tries again.
    private synchronized void scheduleTrial() {
        if (!outage.isLasting() || isScheduled || trials.isShutdown()) {
            return;
        }
        try {
            // Otherwise a trial would stay scheduled although its thread cannot be started.
            trials.prestartCoreThread();
            var _ = trials.schedule(this::tryAgain, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            isScheduled = true;
            lacksThread = false;
        } catch (OutOfMemoryError e) {
            if (!lacksThread) {
                lacksThread = true;
                LOG.error("the store cannot be tried again yet: {}", Failure.noThread(e).getMessage());
            }
        }
    }

    /// Adds an animal and a stored result in a transaction on SQLite, and takes them back.
    public static void tryAdd(Session session, long id) throws SQLException {
        session.execute("SAVEPOINT trial");
        PetTable.insert(session, List.of(new Pet(id, "trial", 0, Optional.of(PetStatus.AVAILABLE))));
        // No API key has an empty name.
        SqlIdempotency.insert(session,
                List.of(new SqlIdempotency.StoredResult(new IdempotencyKey.Name("", "", ""), "", id,
                        Instant.EPOCH)));
        session.execute("ROLLBACK TO trial");
        session.execute("RELEASE trial");
    }

    public void succeeded() {
        outage.succeeded();
    }

    private void tryAgain() {
        try {
            if (outage.isLasting()) {
                trial.call();
            }
        } catch (Exception | Error e) {
            LOG.debug("a write failed again", e);
        }
        synchronized (this) {
            isScheduled = false;
            scheduleTrial();
        }
    }

    /// Throws [Failure] of kind `UNAVAILABLE` if the last write failed.
    public void requireSuccess() {
        if (outage.isLasting()) {
            scheduleTrial();
            throw new Failure(Failure.Unavailability.NOT_WRITABLE,
                    "the store cannot be written; the log has the reason");
        }
    }

    /// Waits for a trial that is running.
    @Override
    public void close() {
        synchronized (this) {
            trials.shutdown();
        }
        trials.close();
    }
}
