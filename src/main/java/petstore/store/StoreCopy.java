package petstore.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.Sha256;

/// Copies a store into an empty store in one transaction, and compares both before COMMIT.
///
/// Rows are read in pages by ascending id, so that memory does not grow with their number.
final class StoreCopy {

    private static final int PAGE = 2_000;
    private static final String COUNT_ANY_ROW = "SELECT count(*) FROM (SELECT 1 FROM pet UNION ALL SELECT 1 FROM api_key"
            + " UNION ALL SELECT 1 FROM idempotency LIMIT 1) AS any_row";

    /// A column of text or of whole numbers.
    ///
    /// @param type one of [Types]
    private record Column(String name, int type) {
    }

    /// A table whose rows have an `id`.
    ///
    /// @param before a value that is less than every id
    private record Table(String name, Object before, List<Column> columns) {

        static Table find(Session session, String name, Object before) throws SQLException {
            ResultSetMetaData found = session.prepare("SELECT * FROM " + name).getMetaData();
            List<Column> columns = new ArrayList<>();
            for (int i = 1; i <= found.getColumnCount(); i++) {
                columns.add(new Column(found.getColumnName(i), found.getColumnType(i)));
            }
            return new Table(name, before, columns);
        }

        private String names() {
            return columns.stream().map(Column::name).collect(Collectors.joining(", "));
        }

        String page() {
            return "SELECT " + names() + ", id FROM " + name + " WHERE id > ? ORDER BY id LIMIT " + PAGE;
        }

        String insert() {
            return "INSERT INTO " + name + " (" + names() + ") VALUES (?" + ", ?".repeat(columns.size() - 1) + ")";
        }
    }

    /// @param values the values of the table's columns
    private record Row(Object id, List<@Nullable Object> values) {
    }

    /// Reads the next rows of a table.
    private interface Rows {
        List<Row> after(Object id, Table table) throws SQLException;
    }

    /// An error of the source, which the transaction of the target must not take for its own.
    private static final class SourceException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final SQLException error;

        SourceException(SQLException error) {
            super(error);
            this.error = error;
        }
    }

    private final Table pets;
    private final Table keys;
    private final Table results;
    private final LongConsumer progress;
    private long reached;

    /// @param to the target, whose tables define the columns to copy
    private StoreCopy(Session to, LongConsumer progress) throws SQLException {
        this.pets = Table.find(to, "pet", 0L);
        this.keys = Table.find(to, "api_key", "");
        this.results = Table.find(to, "idempotency", 0L);
        this.progress = progress;
    }

    /// Copies as [SqlStore#copyTo]. No other process can write to `source` meanwhile.
    static SqlStore.Summary copy(Database source, Database target, LongConsumer progress) {
        return source.write(from -> {
            long lastId = KnownVersion.read(from).lastId();
            try {
                return target.write(to -> {
                    StoreCopy copy = new StoreCopy(to, progress);
                    if (target.dialect().reservePetIds(to, lastId) > 0 || !to.text(COUNT_ANY_ROW).equals("0")) {
                        throw new CommandFailure(
                                "the target is not empty: it has animals or API keys, or had; make a new database with createdb");
                    }
                    SqlStore.Summary copied = copy.read((after, table) -> rowsOfSource(from, after, table), lastId,
                            Optional.of(to));
                    SqlStore.Summary found = copy.read((after, table) -> rows(to, after, table),
                            KnownVersion.read(to).lastId(), Optional.empty());
                    if (!found.equals(copied)) {
                        throw new CommandFailure("the copy differs and was not kept: the source has " + copied
                                + ", the target has " + found);
                    }
                    return copied;
                });
            } catch (SourceException e) {
                throw e.error;
            }
        });
    }

    /// Reads all rows, and inserts them into `to` if it is present.
    private SqlStore.Summary read(Rows rows, long lastId, Optional<Session> to) throws SQLException {
        MessageDigest sha256 = Sha256.begin();
        long petCount = read(rows, pets, sha256, to);
        long keyCount = read(rows, keys, sha256, to);
        long resultCount = read(rows, results, sha256, to);
        return new SqlStore.Summary(petCount, keyCount, resultCount, lastId,
                HexFormat.of().formatHex(sha256.digest()));
    }

    private long read(Rows rows, Table table, MessageDigest sha256, Optional<Session> to) throws SQLException {
        Object after = table.before();
        long count = 0;
        int page = PAGE;
        while (page == PAGE) {
            List<Row> found = rows.after(after, table);
            page = found.size();
            found.forEach(row -> row.values().forEach(value -> digest(value, sha256)));
            if (page > 0) {
                after = found.getLast().id();
                if (to.isPresent()) {
                    insert(found, table, to.get());
                }
            }
            count += page;
            if (table.equals(pets)) {
                reached += page;
                progress.accept(reached);
            }
        }
        return count;
    }

    private static List<Row> rowsOfSource(Session session, Object after, Table table) {
        try {
            return rows(session, after, table);
        } catch (SQLException e) {
            throw new SourceException(e);
        }
    }

    private static List<Row> rows(Session session, Object after, Table table) throws SQLException {
        PreparedStatement select = session.prepare(table.page());
        select.setObject(1, after);
        return Session.rows(select, row -> {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 1; i <= table.columns().size(); i++) {
                Object value = table.columns().get(i - 1).type() == Types.BIGINT
                        ? (Object) row.getLong(i)
                        : row.getString(i);
                values.add(row.wasNull() ? null : value);
            }
            return new Row(row.getObject(table.columns().size() + 1), values);
        });
    }

    private static void insert(List<Row> rows, Table table, Session to) throws SQLException {
        PreparedStatement insert = to.prepare(table.insert());
        for (Row row : rows) {
            for (int i = 0; i < table.columns().size(); i++) {
                insert.setObject(i + 1, row.values().get(i), table.columns().get(i).type());
            }
            insert.addBatch();
        }
        insert.executeBatch();
    }

    /// Digests the type and the length of each value, so that different rows have different bytes.
    private static void digest(@Nullable Object value, MessageDigest sha256) {
        switch (value) {
            case Long number ->
                sha256.update(ByteBuffer.allocate(1 + Long.BYTES).put((byte) 'n').putLong(number).flip());
            case String text -> {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                sha256.update(ByteBuffer.allocate(1 + Integer.BYTES).put((byte) 't').putInt(bytes.length).flip());
                sha256.update(bytes);
            }
            case null, default -> sha256.update((byte) '-');
        }
    }
}
