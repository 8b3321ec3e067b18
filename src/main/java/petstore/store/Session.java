package petstore.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One connection and the statements prepared on it, for one thread at a time.
public class Session implements AutoCloseable {

    /// Reads the current row.
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static final int LARGEST_CHUNK = 256;

    /// Up to this size there is a statement for each.
    private static final int LARGEST_SMALL_CHUNK = 64;

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    public Session(Connection connection) {
        this.connection = connection;
    }

    /// The statement for `sql`, prepared once; the session closes it.
    public PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        return statement;
    }

    /// Does `work` with this session. The driver closes a statement that fails, without saying so: none is used again then.
    public <T> T perform(Database.Work<T> work) throws SQLException {
        try {
            return work.on(this);
        } catch (SQLException e) {
            forgetStatements(e);
            throw e;
        }
    }

    private void forgetStatements(SQLException cause) {
        try {
            closeStatements();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /// Closes every prepared statement. Errors: `SQLException`, the first of them; also then the others are closed.
    protected final void closeStatements() throws SQLException {
        SQLException failure = null;
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                failure = failure == null ? e : failure;
            }
        }
        statements.clear();
        if (failure != null) {
            throw failure;
        }
    }

    /// All rows that a prepared query gives.
    public static <T> List<T> rows(PreparedStatement query, Row<T> row) throws SQLException {
        try (ResultSet result = query.executeQuery()) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(row.read(result));
            }
            return rows;
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
    public Statement createStatement() throws SQLException {
        return connection.createStatement();
    }

    /// Runs one statement that needs no parameters.
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /// The first column of the first row, as text.
    public String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new SQLException("no row: " + sql);
            }
            return String.valueOf(result.getString(1));
        }
    }

    /// The driver's own connection.
    public <T> T unwrap(Class<T> type) throws SQLException {
        return connection.unwrap(type);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
