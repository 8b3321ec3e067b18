package petstore.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/// A connection and its prepared statements. [#perform] and [#close] are for any thread, the other methods for one thread at a time.
public class Session implements AutoCloseable {

    private static final int LARGEST_CHUNK = 256;

    /// A list of at most this size is one chunk. Longer lists are cut into chunks of 256, 128 or 64, and the rest, because each size needs
    /// a prepared statement.
    private static final int LARGEST_SMALL_CHUNK = 64;

    protected final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    public Session(Connection connection) {
        this.connection = connection;
    }

    /// Returns the statement for `sql`, prepared once, with its parameters set. The session closes it.
    public PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    /// Runs `work` once no other thread uses this session. If it fails, all statements are closed, because the driver silently
    /// closes the failed one, or a batch may be left.
    public synchronized <T> T perform(Database.Work<T> work) throws SQLException {
        try {
            return work.on(this);
        } catch (SQLException | RuntimeException | Error e) {
            closeStatements();
            throw e;
        }
    }

    /// Closes all statements after an error, as [#perform], for a caller that handles the error itself.
    public void closeStatements() {
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                // The last use of the statement has thrown this error already.
            }
        }
        statements.clear();
    }

    /// Returns the rows of a query.
    public <T> List<T> rows(String sql, SqlFunction<ResultSet, T> row, @Nullable Object... parameters)
            throws SQLException {
        return rows(prepare(sql, parameters).executeQuery(), row);
    }

    /// Reads and closes a result.
    public static <T> List<T> rows(ResultSet result, SqlFunction<ResultSet, T> row) throws SQLException {
        try (result) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(row.on(result));
            }
            return rows;
        }
    }

    /// Returns the number in the first column of the first row.
    public long number(String sql) throws SQLException {
        return rows(sql, row -> row.getLong(1)).getFirst();
    }

    /// Returns the row of a table that always has one. Errors: `SQLException` that names the table if it was emptied.
    public <T> T onlyRow(String table, String sql, SqlFunction<ResultSet, T> row, @Nullable Object... parameters)
            throws SQLException {
        return rows(sql, row, parameters).stream().findFirst().orElseThrow(() -> new SQLException(emptied(table)));
    }

    /// Returns the message for a table without the rows that it always has.
    public static String emptied(String table) {
        return "the table " + table + " has lost its row; restore it from a backup";
    }

    /// Splits values into lists, one for each statement, with few lists and few different sizes.
    static <T> List<List<T>> chunks(List<T> values) {
        List<T> rest = values;
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

    /// Returns a statement, which the caller closes.
    public Statement createStatement() throws SQLException {
        return connection.createStatement();
    }

    /// Runs a statement without parameters.
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /// Returns the first column of the first row as text.
    public String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new SQLException("no row: " + sql);
            }
            return String.valueOf(result.getString(1));
        }
    }

    public <T> T unwrap(Class<T> type) throws SQLException {
        return connection.unwrap(type);
    }

    @Override
    public synchronized void close() throws SQLException {
        connection.close();
    }
}
