package petstore.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
        return source.write(from -> target.write(to -> {
            StoreCopy copy = new StoreCopy(to, progress);
            if (target.dialect().reservePetIds(to, KnownVersion.read(from).lastId()) > 0
                    || !to.text(COUNT_ANY_ROW).equals("0")) {
                throw new CommandFailure(
                        "the target is not empty: it has animals or API keys, or had; make a new database with createdb");
            }
            SqlStore.Summary copied = copy.read(from, Optional.of(to));
            SqlStore.Summary found = copy.read(to, Optional.empty());
            if (!found.equals(copied)) {
                throw new CommandFailure("the copy differs and was not kept: the source has " + copied
                        + ", the target has " + found);
            }
            return copied;
        }));
    }

    /// Reads all rows, and inserts them into `to` if it is present.
    private SqlStore.Summary read(Session session, Optional<Session> to) throws SQLException {
        MessageDigest sha256 = Sha256.begin();
        long petCount = read(session, pets, sha256, to);
        long keyCount = read(session, keys, sha256, to);
        long resultCount = read(session, results, sha256, to);
        return new SqlStore.Summary(petCount, keyCount, resultCount, KnownVersion.read(session).lastId(),
                HexFormat.of().formatHex(sha256.digest()));
    }

    private long read(Session session, Table table, MessageDigest sha256, Optional<Session> to) throws SQLException {
        PreparedStatement select = session.prepare(table.page());
        PreparedStatement insert = to.isPresent() ? to.get().prepare(table.insert()) : null;
        Object after = table.before();
        long count = 0;
        long page = PAGE;
        while (page == PAGE) {
            page = 0;
            select.setObject(1, after);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    copy(row, table, sha256, insert);
                    after = row.getObject(table.columns().size() + 1);
                    page++;
                }
            }
            if (insert != null) {
                insert.executeBatch();
            }
            count += page;
            if (table.equals(pets)) {
                reached += page;
                progress.accept(reached);
            }
        }
        return count;
    }

    private static void copy(ResultSet row, Table table, MessageDigest sha256, @Nullable PreparedStatement insert)
            throws SQLException {
        for (int i = 1; i <= table.columns().size(); i++) {
            int type = table.columns().get(i - 1).type();
            Object value = type == Types.BIGINT ? (Object) row.getLong(i) : row.getString(i);
            if (row.wasNull()) {
                value = null;
            }
            digest(value, sha256);
            if (insert != null) {
                insert.setObject(i, value, type);
            }
        }
        if (insert != null) {
            insert.addBatch();
        }
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
