package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;

import org.postgresql.ds.PGSimpleDataSource;

/// Connections for a pool, all to one run of one server, because an address may lead to another server at any time.
@SuppressWarnings("serial") // Never serialized: a pool is not.
final class PostgresSource extends PGSimpleDataSource {

    /// SQLSTATE `connection_does_not_exist`.
    private static final String OTHER_SERVER = "08003";

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
}
