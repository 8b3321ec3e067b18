package petstore.store.sqlite;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.Session;
import petstore.store.queue.AdmissionControl;

/// A few platform threads, each with a session of its own, that do what others ask of them: an event loop must not wait, and a
/// call into native code would hold on to a virtual thread's carrier.
final class ReaderPool implements Readers {

    /// Opens a session.
    @FunctionalInterface
    public interface Connector {
        Session connect() throws SQLException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(ReaderPool.class);
    private static final int CAPACITY = 1_024;
    private static final int LARGEST_GROUP = 16;
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

    /// A read, and whom to tell.
    private record Read<T>(Database.Work<T> work, CompletableFuture<T> result) {
        /// Does the work, and gives back what hands over its result.
        Runnable doOn(Session session, DatabaseErrors errors) {
            try {
                T value = session.perform(work);
                return () -> result.complete(value);
            } catch (SQLException e) {
                return () -> result.completeExceptionally(errors.failure(e));
            } catch (RuntimeException | Error e) {
                return () -> result.completeExceptionally(e);
            }
        }
    }

    private final BlockingQueue<Read<?>> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final AdmissionControl admission;
    private final DatabaseErrors errors;
    private final List<Session> sessions = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    /// @param name of its threads
    public ReaderPool(String name, int size, Connector connector, DatabaseErrors errors) throws SQLException {
        this.errors = errors;
        admission = new AdmissionControl(LONGEST_WAIT.toNanos(), size);
        try {
            for (int i = 0; i < size; i++) {
                sessions.add(connector.connect());
            }
        } catch (SQLException | RuntimeException e) {
            closeSessions();
            throw e;
        }
        for (Session session : sessions) {
            threads.add(Thread.ofPlatform().name(name + "-" + threads.size()).daemon()
                    .start(() -> serve(session)));
        }
    }

    /// Does `work` on a reader, in its turn. The future comes on the reader's thread; it fails with [Failure] of kind
    /// `UNAVAILABLE` when the work would wait too long, and with what the work throws.
    @Override
    public <T> CompletableFuture<T> submit(Database.Work<T> work) {
        Read<T> read = new Read<>(work, new CompletableFuture<>());
        if (!admission.admits(waiting.size()) || !waiting.offer(read)) {
            return CompletableFuture.failedFuture(Failure.unavailable("too many reads are waiting; try again later"));
        }
        if (closed && waiting.remove(read)) {
            return CompletableFuture.failedFuture(stopping());
        }
        return read.result();
    }

    private static Failure stopping() {
        return Failure.unavailable("the service is stopping");
    }

    /// How much waits for a reader.
    @Override
    public int waiting() {
        return waiting.size();
    }

    private void serve(Session session) {
        try {
            while (true) {
                List<Read<?>> group = new ArrayList<>();
                group.add(waiting.take());
                waiting.drainTo(group, Math.min(waiting.size() / threads.size(), LARGEST_GROUP - 1));
                long beganNs = System.nanoTime();
                serve(group, session);
                admission.recordDuration((System.nanoTime() - beganNs) / group.size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Does a group in one transaction: each would lock the file and unlock it again. All of it was asked for before the
    /// transaction sees anything, and so sees all that was committed before it was asked for. Who asked is told when all of it is
    /// done: an event loop that is woken finds several answers.
    private void serve(List<Read<?>> group, Session session) {
        if (group.size() > 1) {
            execute("BEGIN", session);
        }
        List<Runnable> handovers = group.stream().map(read -> read.doOn(session, errors)).toList();
        if (group.size() > 1) {
            execute("ROLLBACK", session);
        }
        handovers.forEach(Runnable::run);
    }

    private static void execute(String sql, Session session) {
        try {
            session.perform(prepared -> prepared.prepare(sql).execute());
        } catch (SQLException e) {
            LOG.debug("SQLite has rolled back by itself, or each reads for itself now: {}", e.getMessage());
        }
    }

    /// Ends the threads after what they are doing; what is still waiting then is refused.
    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Read<?> read = waiting.poll(); read != null; read = waiting.poll()) {
            read.result().completeExceptionally(stopping());
        }
        closeSessions();
    }

    private void closeSessions() {
        for (Session session : sessions) {
            try {
                session.close();
            } catch (SQLException e) {
                LOG.warn("Closing a reader failed: {}", e.getMessage());
            }
        }
    }
}
