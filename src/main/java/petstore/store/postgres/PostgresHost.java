package petstore.store.postgres;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CatalogueVersion;
import petstore.store.Database;
import petstore.store.KnownVersion;
import petstore.store.Migrations;
import petstore.store.Session;
import petstore.store.postgres.watch.ServerState;

/// One host of a PostgreSQL database, with two sessions that read its state and prove that it commits durably. For one thread at a
/// time.
final class PostgresHost implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresHost.class);
    private static final Duration COMMIT_LIMIT = Duration.ofSeconds(1);
    private static final int FIRST_ROUNDS = 5;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /// SQLSTATE `connection_does_not_exist`.
    static final String OTHER_SERVER = "08003";
    /// SQLSTATE `read_only_sql_transaction`.
    static final String READ_ONLY = "25006";
    /// SQLSTATE `query_canceled`.
    private static final String CANCELLED = "57014";
    /// SQL that yields the timeline. On a primary, `pg_control_checkpoint()` would show the old one until the next checkpoint. A standby
    /// shows the timeline that it receives only to some roles, and only while its primary runs.
    private static final String TIMELINE = "CASE WHEN pg_is_in_recovery()"
            + " THEN greatest((SELECT timeline_id FROM pg_control_checkpoint()),"
            + " (SELECT min_recovery_end_timeline FROM pg_control_recovery()),"
            + " (SELECT max(received_tli) FROM pg_stat_wal_receiver))"
            + " ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::BIT(32)::BIGINT END";
    private static final String SELECT_STATE = "SELECT (SELECT system_identifier FROM pg_control_system()),"
            + " concat_ws('.', (SELECT oid FROM pg_database WHERE datname = current_database()),"
            // Each session has its own `pg_temp`.
            + " (SELECT oid FROM pg_namespace WHERE nspname = current_schema() AND NOT nspname ^@ 'pg_')), " + TIMELINE
            + ", extract(epoch FROM pg_postmaster_start_time()), pg_is_in_recovery(),"
            + " current_setting('transaction_read_only') = 'on',"
            + " concat_ws(' and ', CASE current_setting('fsync', true) WHEN 'off' THEN 'fsync' END,"
            + " CASE current_setting('full_page_writes', true) WHEN 'off' THEN 'full_page_writes' END)";

    private static final String CAN_EMIT = "SELECT count(*) FROM pg_proc WHERE proname = 'pg_logical_emit_message'"
            + " AND proargtypes[2] = 'text'::regtype AND has_function_privilege(oid, 'execute')";
    private static final String EMIT = "SELECT pg_logical_emit_message(true, 'petstore', '')";
    private static final String UPDATE = "UPDATE schema_version SET version = version WHERE version = 1";
    private static final String MAKE_TABLE = "CREATE TEMPORARY TABLE petstore_probe () ON COMMIT DROP";

    private final PostgresConnector connector;
    private final PostgresUri address;
    private volatile @Nullable ServerState state;
    private @Nullable PostgresSession observer;
    private @Nullable PostgresSession prober;
    /// The statement that the prober commits.
    private String durableStatement = "";
    /// The pause after a commit that could not be cancelled, because its server process may still wait.
    private long pauseNs;
    private long pausedNs;
    private volatile boolean outdated;
    private volatile boolean answered;

    PostgresHost(PostgresConnector connector, PostgresUri address) {
        this.connector = connector;
        this.address = address;
    }

    PostgresUri address() {
        return address;
    }

    /// Returns the host and its port, e.g. `db.example:5432`.
    String name() {
        return address.hostNames();
    }

    /// Returns the state of the server now.
    ServerState observe() throws SQLException {
        if (outdated) {
            outdated = false;
            close();
        }
        ServerState now = ask(PostgresHost::read);
        answered = true;
        state = now;
        return now;
    }

    /// Returns the state that was observed last. It must have been observed once.
    ServerState state() {
        return Objects.requireNonNull(state);
    }

    /// Returns true if the server has answered before, also with an error.
    boolean hasAnswered() {
        return answered;
    }

    /// Notes that the server has answered if it has sent this error.
    void noteAnswer(SQLException e) {
        answered |= PostgresErrors.server(PostgresErrors.root(e)).isPresent();
    }

    /// Opens a session. Errors: `SQLException`, also if the address leads to another server or schema than `expected` now.
    PostgresSession open(ServerState expected, PostgresConnector.Timeouts timeouts) throws SQLException {
        PostgresSession session = connector.open(address, timeouts);
        try {
            ServerState found = read(session);
            if (!found.isSameRun(expected)) {
                throw new SQLException("the address leads to another server or schema now", OTHER_SERVER);
            }
            if (found.readOnly() != expected.readOnly()) {
                throw new SQLException("default_transaction_read_only has changed", READ_ONLY);
            }
            return session;
        } catch (Throwable e) {
            reconnect();
            close(session);
            throw e;
        }
    }

    private static ServerState read(Session session) throws SQLException {
        return Session.rows(session.prepare(SELECT_STATE), row -> new ServerState(
                new ServerState.Lineage(row.getString(1), row.getString(2), row.getLong(3)),
                row.getString(4), row.getBoolean(5), row.getBoolean(6), row.getString(7))).getFirst();
    }

    CatalogueVersion version() throws SQLException {
        return ask(KnownVersion::read);
    }

    /// Makes the next query use new sessions, because the address may lead to another server now. May be called from any thread.
    void reconnect() {
        outdated = true;
    }

    <T> T ask(Database.Work<T> question) throws SQLException {
        try {
            return question.on(observer());
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private PostgresSession observer() throws SQLException {
        if (observer == null) {
            observer = connector.open(address, PostgresConnector.Timeouts.WATCH);
        }
        return observer;
    }

    private PostgresSession prober() throws SQLException {
        if (prober == null) {
            prober = open(state(), PostgresConnector.Timeouts.WATCH);
            durableStatement = durableStatement(prober);
        }
        return prober;
    }

    /// Proves that the server commits durably now, and that every session has a server connection of its own. Returns the time before
    /// the commit, by [System#nanoTime].
    ///
    /// Errors: `SQLException` with the reason.
    ///
    /// @param commits false for a command that only reads
    long prove(boolean commits) throws SQLException {
        if (System.nanoTime() - pausedNs < pauseNs) {
            throw new SQLException("the last commit did not complete and could not be cancelled", CANCELLED);
        }
        try {
            // Other clients of a pooler may make a single comparison pass by chance.
            for (int rounds = prober == null ? FIRST_ROUNDS : 1; rounds > 0; rounds--) {
                requireOwnServers(prober(), observer());
            }
            long beganNs = System.nanoTime();
            if (commits) {
                commit(prober(), durableStatement);
            }
            pauseNs = 0;
            return beganNs;
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /// Throws if a pooler shares server connections. A pooler reuses the connection that was freed last, or that has been free longest.
    private static void requireOwnServers(PostgresSession one, PostgresSession other) throws SQLException {
        other.requireOwnServer();
        other.requireOwnServer();
        one.inTransaction(Database.Work.of(_ -> {
            one.requireOwnServer();
            other.requireOwnServer();
        }));
    }

    private void commit(PostgresSession session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            // After this time the driver cancels it: a server process that waits for its standby does not notice a closed connection.
            statement.setQueryTimeout((int) COMMIT_LIMIT.toSeconds());
            statement.execute(sql);
            if (statement.getUpdateCount() == 0 && sql.equals(UPDATE)) {
                throw new SQLException("the table schema_version lacks its first row, so no commit can be proved");
            }
            PostgresSession.requireKnownOutcome(statement.getWarnings());
        } catch (SQLException e) {
            if (e.getCause() instanceof SocketTimeoutException) {
                pauseNs = Math.clamp(2 * pauseNs, COMMIT_LIMIT.toNanos(), LONGEST_PAUSE.toNanos());
                pausedNs = System.nanoTime();
            }
            throw e;
        }
    }

    /// Returns a statement that waits at its commit for the disk and the synchronous standby.
    private static String durableStatement(Session session) throws SQLException {
        if (!session.text(CAN_EMIT).equals("0")) {
            return EMIT;
        }
        return Migrations.hasStore(Migrations.Scripts.POSTGRESQL, session) ? UPDATE : MAKE_TABLE;
    }

    @Override
    public void close() {
        close(observer);
        close(prober);
        observer = null;
        prober = null;
    }

    private static void close(@Nullable PostgresSession session) {
        try {
            if (session != null) {
                session.close();
            }
        } catch (SQLException | RuntimeException e) {
            LOG.debug("closing failed: {}", PostgresErrors.message(e));
        }
    }
}
