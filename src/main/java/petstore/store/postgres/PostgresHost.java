package petstore.store.postgres;

import java.sql.SQLException;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import petstore.store.Database;
import petstore.store.Session;
import petstore.store.postgres.watch.Refusal;
import petstore.store.postgres.watch.ServerState;

/// One host of a PostgreSQL database, with a session that reads its state. For any thread.
final class PostgresHost implements AutoCloseable {

    private static final int FIRST_ROUNDS = 5;
    /// SQLSTATE `connection_does_not_exist`.
    static final String OTHER_SERVER = "08003";
    /// SQLSTATE `read_only_sql_transaction`.
    static final String READ_ONLY = "25006";
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
            + " (SELECT oid FROM pg_namespace WHERE nspname = current_schema() AND NOT nspname ^@ 'pg_'),"
            + " to_regclass('pet')::oid, to_regclass('pet_id')::oid, to_regclass('pet_change')::oid,"
            + " to_regclass('api_key')::oid), " + TIMELINE
            + ", extract(epoch FROM pg_postmaster_start_time()), pg_is_in_recovery(),"
            + " current_setting('transaction_read_only') = 'on',"
            + " concat_ws(' and ', CASE current_setting('fsync', true) WHEN 'off' THEN 'fsync' END,"
            + " CASE current_setting('full_page_writes', true) WHEN 'off' THEN 'full_page_writes' END)";

    private final PostgresUri address;
    private volatile Optional<ServerState> state = Optional.empty();
    private final PostgresProver prover = new PostgresProver(this);
    private @Nullable PostgresSession observer;
    private int rounds = FIRST_ROUNDS;
    private volatile boolean outdated;
    private volatile boolean answered;

    PostgresHost(PostgresUri address) {
        this.address = address;
    }

    PostgresUri address() {
        return address;
    }

    /// Returns the host and its port, e.g. `db.example:5432`.
    String name() {
        return address.hostNames();
    }

    PostgresProver prover() {
        return prover;
    }

    /// Returns the state of the server now.
    synchronized ServerState observe() throws SQLException {
        state = Optional.empty();
        ServerState now = ask(session -> {
            ServerState shown = read(session);
            prover.judge(shown, session);
            return shown;
        });
        answered = true;
        state = Optional.of(now);
        return now;
    }

    /// Returns the state that was observed last; absent if the last question failed.
    Optional<ServerState> state() {
        return state;
    }

    /// Returns the refusal of this host after an error.
    Refusal refusal(SQLException e) {
        answered |= PostgresErrors.server(e).isPresent();
        return PostgresErrors.refusal(e, answered);
    }

    /// Opens a session. Errors: `SQLException`, also if the address leads to another server or other tables than `expected` now.
    PostgresSession open(ServerState expected, PostgresConnector.Timeouts timeouts) throws SQLException {
        PostgresSession session = PostgresConnector.open(address, timeouts);
        try {
            ServerState found = read(session);
            if (!found.isSameRun(expected)) {
                throw new SQLException("the address leads to another server or other tables now", OTHER_SERVER);
            }
            if (found.readOnly() != expected.readOnly()) {
                throw new SQLException("default_transaction_read_only has changed", READ_ONLY);
            }
            return session;
        } catch (Throwable e) {
            reconnect();
            session.close();
            throw e;
        }
    }

    private static ServerState read(Session session) throws SQLException {
        return session.rows(SELECT_STATE, row -> new ServerState(
                new ServerState.Lineage(row.getString(1), row.getString(2), row.getLong(3)),
                row.getString(4), row.getBoolean(5), row.getBoolean(6), row.getString(7))).getFirst();
    }

    /// Makes the next question use a new session, because the address may lead to another server now. May be called from any thread.
    void reconnect() {
        outdated = true;
    }

    /// Asks the server. After an error the next question uses a new session.
    synchronized <T> T ask(Database.Work<T> question) throws SQLException {
        try {
            return question.on(observer());
        } catch (Throwable e) {
            reconnect();
            prover.reconnect();
            throw e;
        }
    }

    private PostgresSession observer() throws SQLException {
        if (outdated || observer == null) {
            outdated = false;
            closeObserver();
            observer = PostgresConnector.open(address, PostgresConnector.Timeouts.WATCH);
            rounds = FIRST_ROUNDS;
        }
        return observer;
    }

    /// Throws if a pooler shares server connections. A pooler reuses the connection that was freed last, or that has been free longest.
    ///
    /// @param isNew true if the session was not compared before
    synchronized void requireOwnServers(PostgresSession one, boolean isNew) throws SQLException {
        PostgresSession other = observer();
        // Other clients of a pooler may make a single comparison pass by chance.
        for (int left = isNew ? FIRST_ROUNDS : rounds; left > 0; left--) {
            other.requireOwnServer();
            other.requireOwnServer();
            one.inTransaction(Database.Work.of(_ -> {
                one.requireOwnServer();
                other.requireOwnServer();
            }));
        }
        rounds = 1;
    }

    private synchronized void closeObserver() {
        if (observer != null) {
            observer.close();
        }
        observer = null;
    }

    @Override
    public void close() {
        prover.close();
        closeObserver();
    }
}
