package petstore.sql;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

import org.slf4j.LoggerFactory;

/// Connects to a PostgreSQL database for a pool. Once it has connected, it tries again and again until it can: the pool would wait
/// longer after each failure, up to five seconds, and be that late when the database is back.
final class PostgresSource implements DataSource, AutoCloseable {

    private static final long PAUSE_MS = 250;

    private final PacedLog log = new PacedLog(LoggerFactory.getLogger(PostgresSource.class));
    private final String url;
    private final Properties properties;
    private volatile boolean connected;
    private volatile boolean closed;

    /// @param url the address as the driver wants it
    PostgresSource(String url, Properties properties) {
        this.url = url;
        this.properties = properties;
    }

    /// A new connection. Blocks. Errors: `SQLException` the first time, and once it is closed.
    @Override
    public Connection getConnection() throws SQLException {
        while (true) {
            try {
                Connection connection = DriverManager.getConnection(url, properties);
                connected = true;
                return connection;
            } catch (SQLException e) {
                pauseAfter(e);
            }
        }
    }

    private void pauseAfter(SQLException failure) throws SQLException {
        if (!connected || closed) {
            throw failure;
        }
        log.error("The database cannot be connected to: {}", failure);
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /// Has nobody try any longer.
    @Override
    public void close() {
        closed = true;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is in the properties");
    }

    @Override
    public void setLoginTimeout(int seconds) {
        DriverManager.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() {
        return DriverManager.getLoginTimeout();
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
