package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/// A server that requests use, with a pool of connections to it.
final class PostgresPrimary implements AutoCloseable {

    /// The time for which a commit proves that the server is the primary. The service commits every second.
    private static final Duration TRUST = Duration.ofMillis(2_500);
    private static final Duration CONNECTION_WAIT = Duration.ofMillis(600);
    private static final Duration VALIDATION = Duration.ofMillis(250);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

    /// Connections for the pool, all to one run of this server, because the address may lead to another server at any time.
    @SuppressWarnings("serial") // Never serialized: a pool is not.
    private final class Source extends PGSimpleDataSource {

        /// Returns a new connection. Errors: `SQLException`, also if the address leads to another server now.
        @Override
        public Connection getConnection() throws SQLException {
            PostgresSession session = connector.open(host.address(), PostgresConnector.Timeouts.REQUEST);
            try {
                state.requireSameRun(session);
                return session.handOver();
            } catch (Throwable e) {
                host.reconnect();
                session.close();
                throw e;
            }
        }
    }

    private final PostgresHost host;
    private final ServerState state;
    private final long epoch;
    private final AtomicLong lastId;
    private final AtomicLong committedNs;
    private final PostgresConnector connector;
    private final HikariDataSource pool;
    private volatile boolean ready;

    /// Opens a pool of `size` connections. Errors: `RuntimeException` if the first connection fails.
    ///
    /// @param epoch rises when the store changes by more than added animals
    /// @param lastId the greatest id that the catalogue has used
    /// @param committedNs the time when a successful commit began, by [System#nanoTime]
    PostgresPrimary(PostgresHost host, ServerState state, long epoch, long lastId, long committedNs,
            PostgresConnector connector, int size) {
        this.host = host;
        this.state = state;
        this.epoch = epoch;
        this.lastId = new AtomicLong(lastId);
        this.committedNs = new AtomicLong(committedNs);
        this.connector = connector;
        HikariConfig config = new HikariConfig();
        config.setPoolName("petstore");
        config.setDataSource(new Source());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(CONNECTION_WAIT.toMillis());
        config.setValidationTimeout(VALIDATION.toMillis());
        config.setKeepaliveTime(KEEP_ALIVE.toMillis());
        this.pool = new HikariDataSource(config);
    }

    PostgresHost host() {
        return host;
    }

    ServerState state() {
        return state;
    }

    long epoch() {
        return epoch;
    }

    /// Returns the greatest id that was seen here.
    long lastId() {
        return lastId.get();
    }

    /// Records that the catalogue has used `id`.
    void reached(long id) {
        lastId.accumulateAndGet(id, Math::max);
    }

    /// Records a commit that began at `beganNs` and succeeded.
    void committed(long beganNs) {
        committedNs.accumulateAndGet(beganNs, (one, other) -> one - other > 0 ? one : other);
    }

    /// Returns true if a successful commit began after `ns`.
    boolean hasCommittedSince(long ns) {
        return committedNs.get() - ns > 0;
    }

    /// Returns true if the last commit is so recent that this server still is the primary.
    boolean isTrusted() {
        return hasCommittedSince(System.nanoTime() - TRUST.toNanos());
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
        pool.close();
    }
}
