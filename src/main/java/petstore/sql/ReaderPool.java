package petstore.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;

/// A few platform threads, each with a session of its own, that do what virtual threads ask of them: a call into native
/// code would hold on to a virtual thread's carrier.
final class ReaderPool implements Executor, AutoCloseable {

    /// Opens a session.
    @FunctionalInterface
    interface Connector {
        Session connect() throws SQLException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(ReaderPool.class);
    private static final int CAPACITY = 1_024;
    private static final int LARGEST_GROUP = 16;
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

    /// One thing to do on a reader.
    private interface Task {
        void doOn(Session session);

        /// Tells whoever waits that it is not done.
        void refuse(Failure failure);
    }

    /// A read, and whom to tell.
    private record Read<T>(Database.Work<T> work, CompletableFuture<T> result) implements Task {
        @Override
        public void doOn(Session session) {
            try {
                result.complete(session.perform(work));
            } catch (SQLException | RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }

        @Override
        public void refuse(Failure failure) {
            result.completeExceptionally(failure);
        }
    }

    /// Something that reads on the way, and tells by itself what became of it.
    private record Step(Runnable work) implements Task {
        @Override
        public void doOn(Session session) {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                LOG.error("A reader's work failed", e);
            }
        }

        @Override
        public void refuse(Failure failure) {
            // Nobody waits for it.
        }
    }

    /// The session of the current thread, if it is a reader.
    private static final ThreadLocal<Session> OWN = new ThreadLocal<>();

    private final BlockingQueue<Task> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final Admission admission;
    private final List<Session> sessions = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    /// @param name of its threads
    ReaderPool(String name, int size, Connector connector) throws SQLException {
        admission = new Admission(LONGEST_WAIT, size);
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

    /// Does `work` on a reader, in its turn.
    @Override
    public void execute(Runnable work) {
        enter(new Step(work));
    }

    private void enter(Task task) {
        if (!admission.admits(waiting.size()) || !waiting.offer(task)) {
            throw Failure.unavailable("too many reads are waiting; try again later");
        }
        if (closed && waiting.remove(task)) {
            throw Failure.unavailable("the service is stopping");
        }
    }

    /// Waits until a reader has done `work`; a reader does its own at once.
    <T> T run(Database.Work<T> work) throws SQLException {
        Session session = OWN.get();
        if (session != null) {
            return session.perform(work);
        }
        Read<T> read = new Read<>(work, new CompletableFuture<>());
        enter(read);
        try {
            return read.result().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("the service is stopping");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case SQLException sql -> throw sql;
                case RuntimeException runtime -> throw runtime;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /// How much waits for a reader.
    int waiting() {
        return waiting.size();
    }

    private void serve(Session session) {
        OWN.set(session);
        try {
            while (true) {
                List<Task> group = new ArrayList<>();
                group.add(waiting.take());
                waiting.drainTo(group, Math.min(waiting.size() / threads.size(), LARGEST_GROUP - 1));
                long beganNs = System.nanoTime();
                serve(group, session);
                admission.took((System.nanoTime() - beganNs) / group.size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Does a group in one transaction: each would lock the file and unlock it again. All of it was asked for before the
    /// transaction sees anything, and so sees all that was committed before it was asked for.
    private static void serve(List<Task> group, Session session) {
        if (group.size() > 1) {
            execute("BEGIN", session);
        }
        group.forEach(task -> task.doOn(session));
        if (group.size() > 1) {
            execute("ROLLBACK", session);
        }
    }

    private static void execute(String sql, Session session) {
        try {
            session.prepare(sql).execute();
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
        for (Task task = waiting.poll(); task != null; task = waiting.poll()) {
            task.refuse(Failure.unavailable("the service is stopping"));
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
