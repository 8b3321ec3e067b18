package petstore.store.postgres;

import java.sql.SQLException;

/// The one session of a command.
record PostgresCommandSession(PostgresSession session) implements PostgresSessions {

    @Override
    public <T> T use(Use<T> use) throws SQLException {
        return session.perform(_ -> use.on(session));
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (SQLException e) {
            // The server closes its side when the process ends.
        }
    }
}
