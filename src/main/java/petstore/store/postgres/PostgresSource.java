package petstore.store.postgres;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/// Connections for a pool, all to one run of one server, because an address may lead to another server at any time.
final class PostgresSource implements DataSource {

    /// SQLSTATE `connection_does_not_exist`.
    private static final String OTHER_SERVER = "08003";

    private static final int LOGIN_SECONDS = 1;

    private final PostgresConnector connector;
    private final PostgresHost host;
    private final ServerState server;

    PostgresSource(PostgresConnector connector, PostgresHost host, ServerState server) {
        this.connector = connector;
        this.host = host;
        this.server = server;
    }

    /// Returns a new connection. Errors: `SQLException`, also if the address leads to another server now.
    @Override
    public Connection getConnection() throws SQLException {
        PostgresSession session = connector.open(host.address(), PostgresConnector.Timeouts.REQUEST);
        try {
            if (!ServerState.read(session).isSameRun(server)) {
                host.reconnect();
                throw new SQLException("the address leads to another server now", OTHER_SERVER);
            }
            return session.handOver();
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is in the address");
    }

    /// Does nothing: the driver's limit would hold for every connection of the process.
    @Override
    public void setLoginTimeout(int seconds) {
    }

    @Override
    public int getLoginTimeout() {
        return LOGIN_SECONDS;
    }

    @Override
    public PrintWriter getLogWriter() {
        return DriverManager.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        DriverManager.setLogWriter(out);
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("nothing is wrapped");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
