package petstore.store.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.store.Session;

/// Opens connections to PostgreSQL with their settings. Poolers drop settings in a connection's start-up packet, so each is set by SQL
/// and read back.
final class PostgresConnector {

    /// The time limits of a connection.
    ///
    /// @param statement the limit of a statement; zero for none
    /// @param idleTransaction the time after which the server ends an idle transaction, and with it its locks
    record Timeouts(Duration statement, Duration idleTransaction) {
        /// Short, so that a request is answered within two seconds if the database does not respond.
        static final Timeouts REQUEST = new Timeouts(Duration.ofSeconds(1), Duration.ofSeconds(2));
        /// For the watch of the primary.
        static final Timeouts WATCH = new Timeouts(Duration.ofSeconds(2), Duration.ofSeconds(5));
        static final Timeouts COMMAND = new Timeouts(Duration.ofMinutes(10), Duration.ofHours(1));
        static final Timeouts MIGRATION = new Timeouts(Duration.ZERO, Duration.ZERO);
    }

    private static final Logger LOG = LoggerFactory.getLogger(PostgresConnector.class);
    private static final int CONNECT_SECONDS = 2;
    private static final int CANCEL_SECONDS = 1;
    private static final Set<String> NOT_DURABLE = Set.of("off", "local", "remote_write");

    /// READ COMMITTED, so that a statement sees the commits made while it waited for a lock.
    private static final String SET = "SELECT set_config('petstore.mark', ?, false),"
            + " set_config('synchronous_commit', ?, false), set_config('statement_timeout', ?, false),"
            + " set_config('idle_in_transaction_session_timeout', ?, false),"
            + " set_config('default_transaction_isolation', 'read committed', false)";
    private static final String AFTER = "SELECT current_setting('synchronous_commit'), " + PostgresSession.MARK;

    private final AtomicBoolean warned;
    /// The mark of each connection of the driver, to find the mark of a pooled connection.
    private final Map<Connection, String> marks = Collections.synchronizedMap(new WeakHashMap<>());

    /// @param warns true to log once that a setting of the server is overruled
    PostgresConnector(boolean warns) {
        this.warned = new AtomicBoolean(!warns);
    }

    /// Opens a session. Errors: `SQLException`, a [PostgresSession.TransactionPoolingException] if a pooler does not assign a separate
    /// server connection to the session.
    PostgresSession open(PostgresUri address, Timeouts timeouts) throws SQLException {
        Connection connection = DriverManager.getConnection(address.jdbcUrl(), properties(address, timeouts));
        try {
            PostgresSession session = new PostgresSession(connection, UUID.randomUUID().toString());
            marks.put(connection.unwrap(Connection.class), session.mark());
            setUp(session, timeouts);
            return session;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void setUp(PostgresSession session, Timeouts timeouts) throws SQLException {
        if (!session.text(PostgresSession.SELECT_MARK).isEmpty()) {
            // A pooler has left another session's settings and statements on this server connection.
            session.execute("DISCARD ALL");
        }
        String given = session.text("SHOW synchronous_commit");
        if (NOT_DURABLE.contains(given) && !warned.getAndSet(true)) {
            LOG.warn("the database has synchronous_commit = {}; petstore overrules it with on", given);
        }
        String durable = given.equals("remote_apply") ? "remote_apply" : "on";
        PreparedStatement set = session.prepare(SET);
        set.setString(1, session.mark());
        set.setString(2, durable);
        set.setString(3, String.valueOf(timeouts.statement().toMillis()));
        set.setString(4, String.valueOf(timeouts.idleTransaction().toMillis()));
        Session.rows(set, row -> row.getString(1));
        String after = Session.rows(session.prepare(AFTER), row -> {
            session.requireMark(row.getString(2));
            return row.getString(1);
        }).getFirst();
        if (!after.equals(durable)) {
            throw new SQLException(
                    "the database ignores synchronous_commit = " + durable + ": it stays " + after);
        }
    }

    /// Returns a session on a pooled connection that [#open] made.
    PostgresSession pooled(Connection connection) throws SQLException {
        return new PostgresSession(connection, Objects.requireNonNull(marks.get(connection.unwrap(Connection.class))));
    }

    private static Properties properties(PostgresUri address, Timeouts timeouts) {
        Properties properties = address.properties();
        properties.putIfAbsent("ApplicationName", "petstore");
        properties.putIfAbsent("connectTimeout", String.valueOf(CONNECT_SECONDS));
        properties.setProperty("socketTimeout", String.valueOf(timeouts.statement().toSeconds()));
        properties.setProperty("cancelSignalTimeout", String.valueOf(CANCEL_SECONDS));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("logServerErrorDetail", "false");
        properties.setProperty("reWriteBatchedInserts", "true");
        return properties;
    }
}
