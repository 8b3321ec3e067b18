package petstore.store.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import javax.net.SocketFactory;

import static java.util.Map.entry;

/// Opens connections to PostgreSQL with their settings. Poolers drop settings in a connection's start-up packet, so each is set by SQL
/// and read back.
final class PostgresConnector {

    /// The time limits of a connection.
    ///
    /// @param lock the longest wait for a lock; zero for no limit
    /// @param statement the longest time of a statement; zero for no limit
    /// @param response the longest wait for a response; zero for no limit
    /// @param idleTransaction the time after which the server ends an idle transaction, and with it its locks
    record Timeouts(Duration lock, Duration statement, Duration response, Duration idleTransaction) {
        /// Of a request. Each of the first three is below the next, so that the server itself tells that a statement had no effect. A
        /// response comes within [petstore.store.TimeBudget#POSTGRES], also after a wait for a connection.
        static final Timeouts REQUEST = new Timeouts(Duration.ofMillis(800), Duration.ofSeconds(1),
                Duration.ofMillis(1_200), Duration.ofSeconds(2));
        /// For the watch of the primary.
        static final Timeouts WATCH = new Timeouts(Duration.ofMillis(500), Duration.ofSeconds(2),
                Duration.ofSeconds(2), Duration.ofSeconds(5));
        static final Timeouts COMMAND = new Timeouts(Duration.ofMinutes(10), Duration.ofHours(1));
        static final Timeouts MIGRATION = new Timeouts(Duration.ZERO, Duration.ofMinutes(1));

        private Timeouts(Duration statement, Duration idleTransaction) {
            this(Duration.ZERO, statement, statement, idleTransaction);
        }
    }

    /// Sockets that close at once. Before TLS 1.3 of Java closes a connection, it reads again, for as long as the limit of a response.
    /// The driver creates this class by its name.
    public static final class Sockets extends SocketFactory {

        @Override
        public Socket createSocket() {
            return new Socket() {
                @Override
                public void shutdownOutput() throws IOException {
                    // Without a limit, TLS does not read.
                    setSoTimeout(0);
                    super.shutdownOutput();
                }
            };
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    private static final int CONNECT_SECONDS = 2;
    private static final int OPENING_SECONDS = 2;
    private static final int CANCEL_SECONDS = 1;

    /// The files in which Linux distributions and macOS keep the certificates that they trust.
    private static final List<String> SYSTEM_CERTIFICATES = List.of("/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem");

    private static final String MARK = "petstore.mark";
    /// Yields the configured `synchronous_commit`, an empty text if the server connection has a mark.
    private static final String UNMARKED_SYNCHRONOUS_COMMIT = "SELECT CASE " + PostgresSession.MARK
            + " WHEN '' THEN current_setting('synchronous_commit') ELSE '' END";
    private static final String REPLICATION_ROLE = "session_replication_role";
    /// Settings on which the service relies, as the server spells them. A role, a database or an address may have others.
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            // The level of the warning that a commit did not wait for its standby.
            entry("client_min_messages", "warning"), entry(REPLICATION_ROLE, "origin"),
            entry("transaction_timeout", "0"), entry("idle_session_timeout", "0"),
            // Hidden rows are an error.
            entry("row_security", "off"),
            // Until its first ANALYZE, a table is taken for small. A plan that reads it whole would stay while it grows.
            entry("enable_seqscan", "off"),
            // A limit that is a parameter is overestimated. A hash join with its rows would read a whole index.
            entry("enable_hashjoin", "off"),
            // A table without an index is still read whole, at a cost that would start the compiler.
            entry("jit", "off"),
            // PostgreSQL overestimates the plan of a page whose limit is a parameter, so it would plan each execution.
            entry("plan_cache_mode", "force_generic_plan"),
            // A statement sees the commits made while it waited for a lock.
            entry("default_transaction_isolation", "read committed"), entry("default_transaction_deferrable", "off"),
            entry("transform_null_equals", "off"), entry("standard_conforming_strings", "on"),
            entry("array_nulls", "on"), entry("client_encoding", "UTF8"), entry("DateStyle", "ISO, MDY"),
            entry("extra_float_digits", "3"));
    /// An older server does not know every setting.
    private static final String KNOWN = " FROM unnest(?::TEXT[], ?::TEXT[]) AS wanted (name, value) WHERE (name = '"
            + MARK + "' OR current_setting(name, true) IS NOT NULL)";
    /// Only a superuser may change the replication role, so a session with another one is refused.
    private static final String SET = "SELECT set_config(name, value, false)" + KNOWN + " AND name <> '"
            + REPLICATION_ROLE + "'";
    /// The server spells times in its own units.
    private static final String DIFFERENCES = "SELECT name, value, current_setting(name, true)" + KNOWN
            + " AND CASE WHEN name LIKE '%timeout' THEN current_setting(name)::INTERVAL <> value::INTERVAL"
            + " ELSE current_setting(name, true) IS DISTINCT FROM value END";

    private PostgresConnector() {
    }

    /// Opens a session. Errors: `SQLException`, a [PostgresSession.TransactionPoolingException] if a pooler does not assign a separate
    /// server connection to the session.
    static PostgresSession open(PostgresUri address, Timeouts timeouts) throws SQLException {
        Connection connection = connect(address);
        try {
            PostgresSession session = new PostgresSession(connection, UUID.randomUUID().toString(), 0);
            setUp(session, timeouts, address.searchPath());
            PostgresSchema.use(session);
            session.limit(timeouts.response());
            return session;
        } catch (Throwable e) {
            connection.close();
            throw e;
        }
    }

    private static Connection connect(PostgresUri address) throws SQLException {
        Properties properties = properties(address);
        try {
            // The driver's exception would lack the reason.
            var _ = InetAddress.getAllByName(address.hostName());
            return DriverManager.getConnection(address.jdbcUrl(), properties);
        } catch (UnknownHostException e) {
            throw new SQLException("the host cannot be resolved: " + PostgresErrors.message(e), "08001", e);
        } catch (SQLException e) {
            throw PostgresErrors.ofConnection(e, Optional.ofNullable(properties.getProperty("sslkey")));
        }
    }

    private static void setUp(PostgresSession session, Timeouts timeouts, Optional<String> searchPath)
            throws SQLException {
        String given = session.text(UNMARKED_SYNCHRONOUS_COMMIT);
        if (given.isEmpty()) {
            // A pooler has left another session's settings and statements on this server connection.
            session.execute("DISCARD ALL");
            given = session.text(UNMARKED_SYNCHRONOUS_COMMIT);
        }
        Map<String, String> settings = new LinkedHashMap<>();
        // First, because other differences follow from transaction pooling.
        settings.put(MARK, session.mark());
        settings.putAll(SETTINGS);
        searchPath.ifPresent(path -> settings.put("search_path", path));
        settings.put("synchronous_commit", given.equals("remote_apply") ? given : "on");
        settings.put("lock_timeout", timeouts.lock().toMillis() + "ms");
        settings.put("statement_timeout", timeouts.statement().toMillis() + "ms");
        settings.put("idle_in_transaction_session_timeout", timeouts.idleTransaction().toMillis() + "ms");
        Object[] parameters = {settings.keySet().toArray(String[]::new), settings.values().toArray(String[]::new)};
        session.rows(SET, row -> row.getString(1), parameters);
        session.rows(DIFFERENCES, row -> {
            throw difference(row);
        }, parameters);
    }

    private static SQLException difference(ResultSet row) throws SQLException {
        return switch (row.getString(1)) {
            case MARK -> new PostgresSession.TransactionPoolingException();
            case REPLICATION_ROLE -> new SQLException("triggers do not run with " + REPLICATION_ROLE + " = "
                    + row.getString(3) + "; reset it by ALTER ROLE and ALTER DATABASE");
            case String other -> new SQLException("the database ignores " + other + " = " + row.getString(2)
                    + ": it stays " + row.getString(3));
        };
    }

    private static Properties properties(PostgresUri address) {
        Properties properties = address.properties();
        properties.replace("sslrootcert", PostgresUri.SYSTEM, SYSTEM_CERTIFICATES.stream()
                .filter(file -> Files.exists(Path.of(file))).findFirst().orElse(SYSTEM_CERTIFICATES.getFirst()));
        properties.putIfAbsent("ApplicationName", "petstore");
        properties.putIfAbsent("connectTimeout", String.valueOf(CONNECT_SECONDS));
        // Of the opening, whatever the limit of statements: a pooler may have no server for the session.
        properties.setProperty("socketTimeout", String.valueOf(OPENING_SECONDS));
        properties.setProperty("cancelSignalTimeout", String.valueOf(CANCEL_SECONDS));
        properties.setProperty("socketFactory", Sockets.class.getName());
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("logServerErrorDetail", "false");
        properties.setProperty("reWriteBatchedInserts", "true");
        return properties;
    }
}
