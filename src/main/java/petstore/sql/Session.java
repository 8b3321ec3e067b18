package petstore.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One connection and the statements prepared on it, for one thread at a time.
final class Session implements AutoCloseable {

    /// Reads the current row.
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    Session(Connection connection) {
        this.connection = connection;
    }

    /// The statement for `sql`, prepared once; the session closes it.
    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        return statement;
    }

    /// Does `work` with this session. The driver closes a statement that fails, without saying so: none is used again then.
    <T> T perform(Database.Work<T> work) throws SQLException {
        try {
            return work.on(this);
        } catch (SQLException e) {
            forgetStatements(e);
            throw e;
        }
    }

    private void forgetStatements(SQLException cause) {
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                cause.addSuppressed(e);
            }
        }
        statements.clear();
    }

    /// All rows that a prepared query gives.
    static <T> List<T> rows(PreparedStatement query, Row<T> row) throws SQLException {
        try (ResultSet result = query.executeQuery()) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(row.read(result));
            }
            return rows;
        }
    }

    /// Runs one statement that needs no parameters.
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /// The first column of the first row, as text.
    String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new SQLException("no row: " + sql);
            }
            return String.valueOf(result.getString(1));
        }
    }

    /// The driver's own connection.
    <T> T unwrap(Class<T> type) throws SQLException {
        return connection.unwrap(type);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
