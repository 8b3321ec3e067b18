package petstore.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

import petstore.Failure;

/// Upgrades the schema by numbered scripts (`1.sql`, `2.sql`, …), each run once.
///
/// A script's statements end in `;` at the end of a line. A script that has been released is never changed.
public final class Migrations {

    /// The version that this program needs.
    public static final int LATEST = 7;
    private static final String VERSION = "SELECT coalesce(max(version), 0) FROM schema_version";

    /// A kind of database: the folder of its scripts, and a query that counts the visible tables `schema_version`.
    public enum Dialect {
        SQLITE("migrations/sqlite",
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'"), POSTGRESQL(
                        "migrations/postgresql", "SELECT count(to_regclass('schema_version'))");

        private final String folder;
        private final String countTables;

        Dialect(String folder, String countTables) {
            this.folder = folder;
            this.countTables = countTables;
        }
    }

    private Migrations() {
    }

    /// Returns true if upgrades are pending. The caller applies them in a transaction that excludes other processes.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE`, with a message for the operator, if `policy` refuses the schema.
    public static boolean arePending(SchemaPolicy policy, Dialect dialect, Session session) throws SQLException {
        int current = version(dialect, session);
        if (current < LATEST && policy == SchemaPolicy.CHECK) {
            throw Failure.unavailable("the store has schema version " + current
                    + ", this petstore needs version " + LATEST + "; --migrate auto brings it up to date");
        }
        return current < LATEST;
    }

    /// Upgrades a schema to version `last`, and returns that version. The caller opens the transaction.
    public static int run(Session session, Dialect dialect, int last) throws SQLException {
        session.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL PRIMARY KEY)");
        int current = checkKnown(session);
        for (int version = current + 1; version <= last; version++) {
            for (String statement : script(dialect.folder + "/" + version + ".sql").split(";\\s*\\n", 0)) {
                session.execute(statement);
            }
            session.execute("INSERT INTO schema_version (version) VALUES (" + version + ")");
        }
        return last;
    }

    /// Returns the version of a database's schema; 0 without tables. Errors: [Failure] if it is newer than this program.
    public static int version(Dialect dialect, Session session) throws SQLException {
        return session.text(dialect.countTables).equals("1") ? checkKnown(session) : 0;
    }

    /// Returns the version of a store's schema. Errors: [Failure] if it is newer than this program.
    public static int checkKnown(Session session) throws SQLException {
        long current = session.number(VERSION);
        if (current > LATEST) {
            throw Failure.unavailable("the store has schema version " + current
                    + ", made by a newer petstore; this one knows versions up to " + LATEST);
        }
        return (int) Math.max(current, 0);
    }

    /// Returns the version of a store's schema. Errors: [Failure] if it is older than this program. A newer version is allowed, because
    /// replicas are upgraded one after the other.
    public static long requireLatest(Session session) throws SQLException {
        long current = session.number(VERSION);
        if (current < LATEST) {
            throw Failure.unavailable("the store has schema version " + current + ", this petstore needs " + LATEST);
        }
        return current;
    }

    private static String script(String name) {
        try (InputStream script = Migrations.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("no script " + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
