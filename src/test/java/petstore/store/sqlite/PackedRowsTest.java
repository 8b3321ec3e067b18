package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.StoreAccess;

import static org.assertj.core.api.Assertions.assertThat;

class PackedRowsTest {

    private static final List<String> TEXTS = List.of("a,b", ",", "\"quoted\",", "line\nfeed\r\t", "\u0001\u001F", "-1",
            "犬 🐕", "a\0b");
    private static final List<String> COLUMNS = List.of("id", "number", "name", "tag");

    @TempDir
    private Path folder;

    /// Each column may be the last one: a number, a free text, or null.
    @Test
    void readsColumnsInAnyOrder() {
        List<Map<String, Object>> rows = IntStream.range(0, TEXTS.size()).mapToObj(PackedRowsTest::row).toList();
        try (Sqlite sqlite = Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE)) {
            sqlite.write(session -> {
                session.execute("CREATE TEMPORARY TABLE packed (id INTEGER, number INTEGER, name TEXT, tag TEXT)");
                for (Map<String, Object> row : rows) {
                    session.execute("INSERT INTO packed VALUES (" + row.get("id") + ", " + row.get("number") + ", "
                            + literal(row.getOrDefault("name", "")) + ", " + literal(row.getOrDefault("tag", ""))
                            + ")");
                }
                for (List<String> order : orders(COLUMNS)) {
                    assertThat(read(session, order)).as("%s", order).isEqualTo(rows);
                }
                return rows;
            });
        }
    }

    private static Map<String, Object> row(int i) {
        Optional<String> text = Optional.of(TEXTS.get(i));
        return new TreeMap<>(Map.of("id", (long) i, "number", Long.MIN_VALUE + i, "name", text, "tag",
                i % 2 == 0 ? Optional.empty() : text));
    }

    private static String literal(Object text) {
        return ((Optional<?>) text).map(value -> "'" + String.valueOf(value).replace("\0", "' || char(0) || '") + "'")
                .orElse("NULL");
    }

    private static List<Map<String, Object>> read(Session session, List<String> order) throws SQLException {
        PackedRows packed = new PackedRows(
                session.rows("SELECT " + PackedRows.packed(order)
                        + " FROM (SELECT * FROM packed ORDER BY id)", row -> row.getBytes(1)).getFirst());
        List<Map<String, Object>> rows = new ArrayList<>();
        while (packed.hasNext()) {
            Map<String, Object> row = new TreeMap<>();
            for (String column : order) {
                row.put(column, COLUMNS.indexOf(column) < 2 ? packed.number() : packed.text());
            }
            rows.add(row);
        }
        return rows;
    }

    /// Returns every order of the columns.
    private static List<List<String>> orders(List<String> columns) {
        if (columns.isEmpty()) {
            return List.of(List.of());
        }
        List<List<String>> orders = new ArrayList<>();
        for (String last : columns) {
            List<String> others = new ArrayList<>(columns);
            others.remove(last);
            orders(others).forEach(order -> {
                List<String> whole = new ArrayList<>(order);
                whole.add(last);
                orders.add(whole);
            });
        }
        return orders;
    }
}
