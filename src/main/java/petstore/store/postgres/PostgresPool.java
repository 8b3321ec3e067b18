package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Closer;
import petstore.store.TimeBudget;
import petstore.store.postgres.watch.ServerState;
import petstore.store.postgres.watch.State;

/// A pool of connections to one run of a server.
///
/// It works around HikariCP in these ways:
///
/// - `opened`: connections open at the same time, and the pool takes them first. HikariCP's `blockUntilFilled` opens as many as there
///   are processors, and polls: with two, the first hundred requests took 1.6 times as long with 100 ms of delay, and some got 503.
///   HikariCP also sleeps for a second if the first connection fails.
/// - `late`: true once the pool opens connections itself. Another one that is ready only then would stay beside a full pool.
/// - `marks`: HikariCP keeps nothing of ours with a connection, and cannot close any if no thread can be started.
/// - `closed`: HikariCP does not close a connection that is ready only after the pool was closed.
/// - `failure`: HikariCP's message has its own numbers, and only one of its callers gets the cause.
/// - [#HOUSEKEEPER]: a pool with a thread of its own would keep it if it could not be closed.
/// - `useWeakReferences`: otherwise each thread of requests keeps the pools that it has used.
final class PostgresPool implements State.Connections {

    private static final Duration VALIDATION = Duration.ofMillis(250);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);
    /// The least time for which the opening of a pool waits for its other connections once it has one.
    private static final Duration LEAST_OPENING = Duration.ofMillis(250);
    /// The most connections that are opened at the same time.
    private static final int MOST_OPENERS = 16;
    private static final Logger LOG = LoggerFactory.getLogger(PostgresPool.class);
    /// Maintains and closes every pool.
    private static final ScheduledThreadPoolExecutor HOUSEKEEPER = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("pool-housekeeper").daemon().factory());

    static {
        System.setProperty("com.zaxxer.hikari.useWeakReferences", "true");
        // Otherwise the tasks of closed connections stay for half an hour.
        HOUSEKEEPER.setRemoveOnCancelPolicy(true);
    }

    /// Connections for the pool, all to one run of this server, because the address may lead to another server at any time. Of its super
    /// class it uses only the methods that a [javax.sql.DataSource] must have.
    @SuppressWarnings("serial") // Never serialized: a pool is not.
    private final class Source extends PGSimpleDataSource {

        private final Map<Connection, String> marks = Collections.synchronizedMap(new WeakHashMap<>());
        private final Queue<Connection> opened = new ConcurrentLinkedQueue<>();
        private boolean late;
        private volatile boolean closed;
        private volatile @Nullable FailedAttempt failure;

        /// Returns a new connection. Errors: `SQLException`, also if the address leads to another server now.
        @Override
        public Connection getConnection() throws SQLException {
            try {
                Connection first = opened.poll();
                Connection connection = first == null ? open() : first;
                failure = null;
                return connection;
            } catch (SQLException e) {
                failure = new FailedAttempt(e, System.nanoTime());
                throw e;
            }
        }

        /// Opens connections: one, then the others at the same time, because the first requests come together. The pool opens those
        /// that fail or are late, one after the other. Errors: `SQLException` if the first one fails.
        void openAll(int count) throws SQLException {
            long beganNs = System.nanoTime();
            keep(open());
            long limitNs = Math.max(2 * (System.nanoTime() - beganNs), LEAST_OPENING.toNanos());
            ExecutorService threads = Executors.newFixedThreadPool(MOST_OPENERS,
                    Thread.ofPlatform().name("pool-opener").daemon().factory());
            try {
                threads.invokeAll(Collections.nCopies(count - 1, () -> keep(open())), limitNs, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                threads.shutdown();
            }
            synchronized (this) {
                late = true;
            }
        }

        private synchronized boolean keep(Connection connection) throws SQLException {
            if (late) {
                connection.close();
                return false;
            }
            return opened.add(connection);
        }

        private Connection open() throws SQLException {
            PostgresSession session = host.open(server, PostgresConnector.Timeouts.REQUEST);
            try {
                Connection connection = session.unwrap(Connection.class);
                marks.put(connection, session.mark());
                if (closed) {
                    throw new SQLTransientConnectionException("this server was left");
                }
                return connection;
            } catch (Throwable e) {
                session.close();
                throw e;
            }
        }

        /// Closes all connections, also those that are being opened.
        void close() {
            closed = true;
            List.copyOf(marks.keySet()).forEach(PostgresSession::abort);
        }
    }

    /// @param endedNs the time by [System#nanoTime]
    private record FailedAttempt(SQLException reason, long endedNs) {
    }

    private final PostgresHost host;
    private final ServerState server;
    private final Source source = new Source();
    private final HikariDataSource pool;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /// Opens a pool of `size` connections. Errors: `SQLException` if the first one fails.
    PostgresPool(PostgresHost host, ServerState server, int size) throws SQLException {
        this.host = host;
        this.server = server;
        HikariConfig config = new HikariConfig();
        config.setPoolName("petstore");
        config.setDataSource(source);
        config.setScheduledExecutor(HOUSEKEEPER);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(TimeBudget.POSTGRES.connection().toMillis());
        config.setValidationTimeout(VALIDATION.toMillis());
        config.setKeepaliveTime(KEEP_ALIVE.toMillis());
        try {
            source.openAll(size);
            this.pool = new HikariDataSource(config);
        } catch (Throwable e) {
            source.close();
            throw e;
        }
    }

    /// Returns a session. Errors: `SQLException` with the server's reason, if there is one.
    ///
    /// @param usedId the greatest id that is known to be used
    PostgresSession connect(long usedId) throws SQLException {
        long beganNs = System.nanoTime();
        try {
            Connection connection = pool.getConnection();
            return new PostgresSession(connection,
                    Objects.requireNonNull(source.marks.get(connection.unwrap(Connection.class))), usedId);
        } catch (SQLException e) {
            FailedAttempt last = source.failure;
            if (last != null && last.endedNs - beganNs >= 0) {
                throw last.reason;
            }
            throw new SQLTransientConnectionException("no connection was free within " + pool.getConnectionTimeout()
                    + " ms" + (last == null
                            ? ""
                            : "; the last attempt failed before: " + PostgresErrors.message(last.reason)));
        }
    }

    /// Begins to close all connections, also those in use. That may take seconds if the server does not respond, and the opening of
    /// another server must not wait for it.
    @Override
    public void close() {
        HOUSEKEEPER.execute(() -> {
            try {
                Closer.closeAll(pool, source::close);
            } catch (RuntimeException | Error e) {
                LOG.error("connections cannot be closed", e);
            }
            closed.complete(null);
        });
    }

    void awaitClosed() {
        closed.join();
    }
}
