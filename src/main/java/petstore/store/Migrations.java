package petstore.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

import petstore.CommandFailure;
import petstore.Failure;

/// Upgrades the schema by numbered scripts (`1.sql`, `2.sql`, …), each run once.
///
/// A script's statements end in `;` at the end of a line. A script that has been released is never changed.
public final class Migrations {

    /// The version that this program needs.
    public static final int LATEST = 7;
    private static final String VERSION = "SELECT coalesce(max(version), 0) FROM schema_version";

    /// SQL that yields the schemas of a PostgreSQL database that have a store. Other programs have some of these tables, too: old
    /// Flyway a `schema_version`, Petclinic a `pet`.
    public static final String STORES = "(SELECT relnamespace FROM pg_class WHERE relkind IN ('r', 'p')"
            + " AND relname IN ('schema_version', 'pet', 'pet_id', 'api_key') GROUP BY relnamespace HAVING count(*) = 4)";

    /// A kind of database: the folder of its scripts, and a query that yields 1 if there is a store.
    public enum Scripts {
        SQLITE("migrations/sqlite",
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'"), POSTGRESQL(
                        "migrations/postgresql", "SELECT count(*) FROM " + STORES
                                + " AS stores WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))");

        private final String folder;
        private final String countStores;

        Scripts(String folder, String countStores) {
            this.folder = folder;
            this.countStores = countStores;
        }
    }

    private Migrations() {
    }

    /// Returns true if upgrades are pending. The caller applies them in a transaction that excludes other processes.
    ///
    /// Errors: [CommandFailure] if `policy` refuses the schema.
    public static boolean arePending(SchemaPolicy policy, Scripts scripts, Session session) throws SQLException {
        int current = version(scripts, session);
        if (current < LATEST && policy == SchemaPolicy.CHECK) {
            throw new CommandFailure("the store has schema version " + current
                    + ", this petstore needs version " + LATEST + "; 'serve --migrate auto' brings it up to date");
        }
        return current < LATEST;
    }

    /// Upgrades a schema to version `last`, and returns that version. The caller opens the transaction.
    public static int run(Session session, Scripts scripts, int last) throws SQLException {
        if (!hasStore(scripts, session)) {
            session.execute("CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY)");
        }
        int current = notNewer(session);
        for (int version = current + 1; version <= last; version++) {
            for (String statement : script(scripts.folder + "/" + version + ".sql").split(";\\s*\\n", 0)) {
                session.execute(statement);
            }
            session.execute("INSERT INTO schema_version (version) VALUES (" + version + ")");
        }
        return last;
    }

    /// Returns true if there is a store: on PostgreSQL, in the current schema.
    public static boolean hasStore(Scripts scripts, Session session) throws SQLException {
        return session.text(scripts.countStores).equals("1");
    }

    /// Returns the version of a store's schema; 0 without a store. Errors: as for [#checkKnown].
    public static int version(Scripts scripts, Session session) throws SQLException {
        return hasStore(scripts, session) ? checkKnown(session) : 0;
    }

    /// Returns the version of a store's schema. Errors: [CommandFailure] if it is newer than this program, or if the table was emptied.
    public static int checkKnown(Session session) throws SQLException {
        int version = notNewer(session);
        if (version == 0) {
            throw new CommandFailure(Session.emptied("schema_version"));
        }
        return version;
    }

    private static int notNewer(Session session) throws SQLException {
        long current = session.number(VERSION);
        if (current > LATEST) {
            throw new CommandFailure("the store has schema version " + current
                    + ", made by a newer petstore; this one knows versions up to " + LATEST);
        }
        return (int) Math.max(current, 0);
    }

    /// Returns the version of a store's schema, for readiness. Errors: [Failure] if it is older than this program. A newer version is
    /// allowed, because replicas are upgraded one after the other.
    public static long requireLatest(Session session) throws SQLException {
        long current = session.number(VERSION);
        if (current < LATEST) {
            throw new Failure(Failure.Unavailability.WRONG_SCHEMA, current == 0
                    ? Session.emptied("schema_version")
                    : "the store has schema version " + current + ", this petstore needs " + LATEST);
        }
        return current;
    }

    /// Returns the text of a script, e.g. `migrations/sqlite/1.sql`.
    public static String script(String name) {
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
