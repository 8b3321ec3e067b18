package petstore.store;

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
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.Sha256;

/// Copies a store into an empty store in one transaction, and compares both before COMMIT.
///
/// Every table has an `id`, and columns of text or whole numbers, which are copied as text. Rows are read in groups, so that memory does
/// not grow with their number.
final class StoreCopy {

    private static final int GROUP = 2_000;
    private static final String PETS = "pet";
    private static final String COUNT_ANY_ROW = "SELECT count(*) FROM (SELECT 1 FROM pet UNION ALL SELECT 1 FROM api_key"
            + " UNION ALL SELECT 1 FROM idempotency LIMIT 1) AS any_row";

    private final Session to;
    private final LongConsumer progress;
    private long reached;

    private StoreCopy(Session to, LongConsumer progress) {
        this.to = to;
        this.progress = progress;
    }

    /// Copies as [SqlStore#copyTo]. No other process can write to `source` meanwhile.
    static SqlStore.Summary copy(Database source, Database target, LongConsumer progress) {
        return source.write(from -> {
            long lastId = KnownVersion.read(from).lastId();
            return target.write(to -> {
                if (target.dialect().reservePetIds(to, lastId) > 0 || !to.text(COUNT_ANY_ROW).equals("0")) {
                    throw new CommandFailure(
                            "the target is not empty: it has animals or API keys, or had; make a new database with createdb");
                }
                StoreCopy copy = new StoreCopy(to, progress);
                SqlStore.Summary copied = copy.read(source, true);
                SqlStore.Summary found = copy.read(target, false);
                if (!found.equals(copied)) {
                    throw new CommandFailure("the copy differs and was not kept: the source has " + copied
                            + ", the target has " + found);
                }
                return copied;
            });
        });
    }

    /// Reads all rows.
    ///
    /// @param inserts true to insert them into the target
    private SqlStore.Summary read(Database database, boolean inserts) throws SQLException {
        MessageDigest sha256 = Sha256.begin();
        long pets = read(database, PETS, inserts, sha256);
        long keys = read(database, "api_key", inserts, sha256);
        long results = read(database, "idempotency", inserts, sha256);
        return new SqlStore.Summary(pets, keys, results, database.readUnqueued(KnownVersion::read).lastId(),
                HexFormat.of().formatHex(sha256.digest()));
    }

    /// Reads by [Database#readUnqueued], so that a failure names the database that was read.
    private long read(Database database, String table, boolean inserts, MessageDigest sha256) throws SQLException {
        List<String> names = columns(table);
        int width = names.size();
        String columns = String.join(", ", names);
        PreparedStatement insert = to.prepare(
                "INSERT INTO " + table + " (" + columns + ") VALUES (?" + ", ?".repeat(width - 1) + ")");
        ResultSet rows = database.readUnqueued(session -> {
            PreparedStatement select = session.prepare("SELECT " + columns + " FROM " + table + " ORDER BY id");
            select.setFetchSize(GROUP);
            return select.executeQuery();
        });
        long count = 0;
        List<@Nullable String[]> group;
        do {
            group = database.readUnqueued(_ -> next(rows, width));
            for (@Nullable
            String[] row : group) {
                digest(row, sha256);
                if (inserts) {
                    for (int i = 0; i < width; i++) {
                        // The database converts the text to the type of the column.
                        insert.setObject(i + 1, row[i], Types.OTHER);
                    }
                    insert.addBatch();
                }
            }
            if (inserts) {
                insert.executeBatch();
            }
            count += group.size();
            if (table.equals(PETS)) {
                reached += group.size();
                progress.accept(reached);
            }
        } while (group.size() == GROUP);
        rows.close();
        return count;
    }

    /// Returns the columns of the target's table. The source may have them in another order.
    private List<String> columns(String table) throws SQLException {
        ResultSetMetaData found = to.prepare("SELECT * FROM " + table).getMetaData();
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= found.getColumnCount(); i++) {
            columns.add(found.getColumnName(i));
        }
        return columns;
    }

    private static List<@Nullable String[]> next(ResultSet rows, int width) throws SQLException {
        List<@Nullable String[]> group = new ArrayList<>();
        while (group.size() < GROUP && rows.next()) {
            @Nullable
            String[] row = new @Nullable String[width];
            for (int i = 0; i < width; i++) {
                row[i] = rows.getString(i + 1);
            }
            group.add(row);
        }
        return group;
    }

    /// Digests the length of each value, too, so that different rows have different bytes.
    private static void digest(@Nullable String[] row, MessageDigest sha256) {
        StringBuilder text = new StringBuilder();
        for (String value : row) {
            text.append(value == null ? "-" : value.length() + ":" + value);
        }
        sha256.update(text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
