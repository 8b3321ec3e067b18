package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CatalogueVersion;
import petstore.Closer;

/// A server that requests use, with a pool of connections to it.
final class PostgresPrimary implements AutoCloseable {

    /// The time for which a commit proves that the server is the primary, and for which a version that was read counts. The service does
    /// both every second.
    private static final Duration TRUST = Duration.ofMillis(2_500);
    private static final Duration CONNECTION_WAIT = Duration.ofMillis(600);
    private static final Duration VALIDATION = Duration.ofMillis(250);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(PostgresPrimary.class);
    /// Maintains every pool. A pool with a thread of its own would keep it if it could not be closed.
    private static final ScheduledThreadPoolExecutor HOUSEKEEPER = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("pool-housekeeper").daemon().factory());

    static {
        HOUSEKEEPER.setRemoveOnCancelPolicy(true);
    }

    /// Connections for the pool, all to one run of this server, because the address may lead to another server at any time.
    @SuppressWarnings("serial") // Never serialized: a pool is not.
    private final class Source extends PGSimpleDataSource {

        private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
        private volatile boolean closed;

        /// Returns a new connection. Errors: `SQLException`, also if the address leads to another server now.
        @Override
        public Connection getConnection() throws SQLException {
            PostgresSession session = host.open(state, PostgresConnector.Timeouts.REQUEST);
            try {
                connections.removeIf(Source::isClosed);
                Connection connection = session.handOver();
                connections.add(connection);
                if (closed) {
                    throw new SQLException("this server was left");
                }
                return connection;
            } catch (Throwable e) {
                session.close();
                throw e;
            }
        }

        private static boolean isClosed(Connection connection) {
            try {
                return connection.isClosed();
            } catch (SQLException e) {
                return true;
            }
        }

        /// Closes all connections, also those of a pool that could not close them because it needs threads for that.
        void close() {
            closed = true;
            for (Connection connection : connections) {
                try {
                    connection.abort(Runnable::run);
                } catch (SQLException e) {
                    LOG.debug("closing failed: {}", PostgresErrors.message(e));
                }
            }
        }
    }

    /// @param readNs the time when it was read, by [System#nanoTime]
    private record Known(CatalogueVersion version, long readNs) {
    }

    private final PostgresHost host;
    private final ServerState state;
    private final long epochsBefore;
    private final AtomicReference<Known> known;
    private final AtomicLong committedNs;
    private final PostgresConnector connector;
    private final Source source = new Source();
    private final HikariDataSource pool;
    private volatile boolean ready;

    /// Opens a pool of `size` connections. Errors: `RuntimeException` if the first connection fails.
    ///
    /// @param epochsBefore the epoch, less the number of changes by SQL that the store has counted
    /// @param version the version of the catalogue
    /// @param committedNs the time when a successful commit and the reading of the version began, by [System#nanoTime]
    PostgresPrimary(PostgresHost host, ServerState state, long epochsBefore, CatalogueVersion version, long committedNs,
            PostgresConnector connector, int size) {
        this.host = host;
        this.state = state;
        this.epochsBefore = epochsBefore;
        this.known = new AtomicReference<>(new Known(version, committedNs));
        this.committedNs = new AtomicLong(committedNs);
        this.connector = connector;
        HikariConfig config = new HikariConfig();
        config.setPoolName("petstore");
        config.setDataSource(source);
        config.setScheduledExecutor(HOUSEKEEPER);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(CONNECTION_WAIT.toMillis());
        config.setValidationTimeout(VALIDATION.toMillis());
        config.setKeepaliveTime(KEEP_ALIVE.toMillis());
        try {
            this.pool = new HikariDataSource(config);
        } catch (Throwable e) {
            source.close();
            throw e;
        }
    }

    PostgresHost host() {
        return host;
    }

    ServerState state() {
        return state;
    }

    /// Returns the epoch; absent if the last version was read too long ago.
    Optional<Long> findEpoch() {
        Known last = known.get();
        return last.readNs() - trustedSince() > 0 ? Optional.of(last.version().epoch()) : Optional.empty();
    }

    /// Returns the latest version that was read here.
    CatalogueVersion version() {
        return known.get().version();
    }

    /// Returns the version of this process for one that was read here, whose epoch is the store's number of changes by SQL.
    CatalogueVersion versionOf(CatalogueVersion read) {
        return read.plusEpochs(epochsBefore);
    }

    /// Records a version whose reading began at `readNs`.
    void reached(CatalogueVersion version, long readNs) {
        known.updateAndGet(before -> new Known(before.version().max(version), later(before.readNs(), readNs)));
    }

    /// Records a commit that began at `beganNs` and succeeded.
    void committed(long beganNs) {
        committedNs.accumulateAndGet(beganNs, PostgresPrimary::later);
    }

    private static long later(long oneNs, long otherNs) {
        return oneNs - otherNs > 0 ? oneNs : otherNs;
    }

    private static long trustedSince() {
        return System.nanoTime() - TRUST.toNanos();
    }

    /// Returns true if a successful commit began after `ns`.
    boolean hasCommittedSince(long ns) {
        return committedNs.get() - ns > 0;
    }

    /// Returns true if the last commit is so recent that this server still is the primary.
    boolean isTrusted() {
        return hasCommittedSince(trustedSince());
    }

    /// Allows requests.
    void open() {
        ready = true;
    }

    /// Returns true if requests were allowed, also if they no longer are.
    boolean wasOpened() {
        return ready;
    }

    boolean isReady() {
        return ready && isTrusted();
    }

    PostgresSession connect() throws SQLException {
        return connector.pooled(pool.getConnection());
    }

    /// Closes all connections, also those in use.
    @Override
    public void close() {
        Closer.closeAll(pool, source::close);
    }
}
