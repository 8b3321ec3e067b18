package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import petstore.CommandFailure;
import petstore.store.Migrations;
import petstore.store.Session;

/// Compares the tables, indexes and views of a SQLite file with those of the migration scripts.
final class SqliteSchema {

    /// The SQL condition that leaves out the statistics of ANALYZE.
    static final String NO_STATISTICS = "name NOT GLOB 'sqlite_stat[0-9]'";

    private static final String VERSION = "table schema_version";
    private static final String OBJECTS = "SELECT type || ' ' || name, tbl_name || ' ' || coalesce(sql, '')"
            + " FROM sqlite_schema WHERE " + NO_STATISTICS + " ORDER BY rowid";

    private SqliteSchema() {
    }

    /// Returns the names of all tables except those of SQLite itself.
    static List<String> tables(Session session) throws SQLException {
        return names(session, "table").stream().filter(name -> !name.startsWith("sqlite_")).toList();
    }

    private static List<String> names(Session session, String type) throws SQLException {
        return session.rows("SELECT name FROM main.sqlite_schema WHERE type = ?"
                + " AND name <> 'sqlite_sequence' ORDER BY rowid", row -> row.getString(1), type);
    }

    /// Drops all objects of these types, in this order.
    static void drop(Session session, String... types) throws SQLException {
        for (String type : types) {
            for (String name : names(session, type)) {
                // A virtual table drops others with it.
                session.execute("DROP " + type + " IF EXISTS main.\"" + name.replace("\"", "\"\"") + "\"");
            }
        }
    }

    /// Throws [CommandFailure] that names the first object in which a file's schema differs from the scripts.
    static void requireUnaltered(Session session, Path named) throws SQLException {
        Map<String, String> found = objects(session);
        if (!found.containsKey(VERSION)) {
            throw new CommandFailure(named + " is no store of a petstore");
        }
        try (Session fresh = new Session(DriverManager.getConnection("jdbc:sqlite::memory:"))) {
            Migrations.SQLITE.run(fresh, Migrations.FIRST);
            // The version can be read only from an unaltered table.
            requireSame(VERSION, objects(fresh), found, named);
            Migrations.SQLITE.run(fresh, Migrations.SQLITE.version(session));
            Map<String, String> expected = objects(fresh);
            for (String object : expected.keySet()) {
                requireSame(object, expected, found, named);
            }
            found.keySet().removeAll(expected.keySet());
            for (String object : found.keySet()) {
                throw differs(named, object, "does not belong there");
            }
        }
    }

    private static void requireSame(String object, Map<String, String> expected, Map<String, String> found,
            Path named) {
        if (!Objects.equals(expected.get(object), found.get(object))) {
            throw differs(named, object, found.containsKey(object) ? "is altered" : "is missing");
        }
    }

    private static CommandFailure differs(Path named, String object, String how) {
        return new CommandFailure(named + " has another schema than petstore makes: the " + object + " " + how);
    }

    /// Returns the SQL of every object of a schema by its kind and name.
    private static Map<String, String> objects(Session session) throws SQLException {
        Map<String, String> objects = new LinkedHashMap<>();
        session.rows(OBJECTS, row -> objects.put(row.getString(1), row.getString(2)));
        return objects;
    }
}
