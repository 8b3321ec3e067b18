package petstore.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/// One connection and the statements prepared on it, for one thread at a time.
final class Session implements AutoCloseable {

    /// Reads the current row.
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static final int LARGEST_CHUNK = 256;

    /// Up to this size there is a statement for each.
    private static final int LARGEST_SMALL_CHUNK = 64;

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

    /// Does `work` in one transaction of the driver's. Errors: `SQLException` also when the server says that it has committed, but
    /// not that the standby has.
    <T> T inTransaction(Database.Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        connection.clearWarnings();
        T result;
        try {
            result = work.on(this);
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(e);
            throw e;
        }
        connection.commit();
        requireKnownOutcome(connection.getWarnings());
        connection.setAutoCommit(true);
        return result;
    }

    /// All rows that a prepared statement gives which is a transaction of its own. Errors: as [#inTransaction].
    static <T> List<T> committedRows(PreparedStatement statement, Row<T> row) throws SQLException {
        List<T> rows = rows(statement, row);
        requireKnownOutcome(statement.getWarnings());
        return rows;
    }

    private static void requireKnownOutcome(@Nullable SQLWarning warning) throws SQLException {
        if (warning != null) {
            throw new SQLException("the outcome of a COMMIT is not known: " + warning.getMessage(), warning);
        }
    }

    private void rollBack(Throwable cause) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /// Values in the lists that one statement takes, as few as there can be while there are not too many different statements.
    static <T> List<List<T>> chunks(Collection<T> values) {
        List<T> rest = new ArrayList<>(values);
        List<List<T>> chunks = new ArrayList<>();
        while (!rest.isEmpty()) {
            int size = rest.size() <= LARGEST_SMALL_CHUNK
                    ? rest.size()
                    : Math.min(LARGEST_CHUNK, Integer.highestOneBit(rest.size()));
            chunks.add(rest.subList(0, size));
            rest = rest.subList(size, rest.size());
        }
        return chunks;
    }

    /// A statement that is needed once; the caller closes it.
    Statement createStatement() throws SQLException {
        return connection.createStatement();
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
