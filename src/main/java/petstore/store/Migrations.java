package petstore.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.function.IntFunction;

import petstore.CommandFailure;
import petstore.Failure;

/// Creates and upgrades the schema of one kind of database by numbered scripts (`8.sql`, `9.sql`, …), each run once.
///
/// A script's statements end in `;` at the end of a line. A script that has been released is never changed.
///
/// @param script returns the script of a version
/// @param latest the version that this program needs
/// @param countStores a query that yields 1 if there is a store
public record Migrations(IntFunction<String> script, int latest, String countStores) {

    /// The version of the first script, which creates the schema. Stores with an earlier version are refused.
    public static final int FIRST = 8;
    /// The number of the last script, of which each kind of database has one.
    public static final int LATEST = Integer.parseInt(resource("migrations/latest").strip());
    private static final String VERSION = "SELECT coalesce(max(version), 0) FROM schema_version";

    /// SQL that yields the schemas of a PostgreSQL database that have a store. Other programs have some of these tables, too: old
    /// Flyway a `schema_version`, Petclinic a `pet`.
    public static final String STORES = "(SELECT relnamespace FROM pg_class WHERE relkind IN ('r', 'p')"
            + " AND relname IN ('schema_version', 'pet', 'pet_id', 'api_key') GROUP BY relnamespace HAVING count(*) = 4)";

    public static final Migrations SQLITE = of("sqlite",
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'");
    /// Finds only a store in the current schema.
    public static final Migrations POSTGRESQL = of("postgresql", "SELECT count(*) FROM " + STORES
            + " AS stores WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))");

    private static Migrations of(String folder, String countStores) {
        return new Migrations(version -> resource("migrations/" + folder + "/" + version + ".sql"), LATEST,
                countStores);
    }

    /// Returns true if upgrades are pending. The caller applies them in a transaction that excludes other processes.
    ///
    /// Errors: [CommandFailure] if `policy` refuses the schema, and as for [#version].
    public boolean arePending(SchemaPolicy policy, Session session) throws SQLException {
        int current = version(session);
        if (current < latest && policy == SchemaPolicy.CHECK) {
            throw new CommandFailure("the store has schema version " + current
                    + ", this petstore needs version " + latest + "; 'serve --migrate auto' brings it up to date");
        }
        return current < latest;
    }

    /// Upgrades a schema to version `last`, and returns that version. The caller opens the transaction.
    public int run(Session session, int last) throws SQLException {
        for (int version = Math.max(version(session) + 1, FIRST); version <= last; version++) {
            for (String statement : script.apply(version).split(";\\s*\\n", 0)) {
                session.execute(statement);
            }
            session.execute("INSERT INTO schema_version (version) VALUES (" + version + ")");
        }
        return last;
    }

    public boolean hasStore(Session session) throws SQLException {
        return session.text(countStores).equals("1");
    }

    /// Returns the version of a store's schema; 0 without a store.
    ///
    /// Errors: [CommandFailure] if no release made this version, if it is newer than this program, or if the table was emptied.
    public int version(Session session) throws SQLException {
        if (!hasStore(session)) {
            return 0;
        }
        long version = session.number(VERSION);
        if (version <= 0) {
            throw new CommandFailure(Session.emptied("schema_version"));
        }
        if (version < FIRST) {
            throw new CommandFailure("the store has schema version " + version + ", older than any release;"
                    + " run 'export' with the older program, then 'import' into a new store with this one");
        }
        if (version > latest) {
            throw new CommandFailure("the store has schema version " + version
                    + ", made by a newer petstore; this one knows versions up to " + latest);
        }
        return (int) version;
    }

    /// Returns the version of a store's schema, for readiness. Errors: [Failure] if it is older than this program. A newer version is
    /// allowed, because replicas are upgraded one after the other.
    public long requireLatest(Session session) throws SQLException {
        long current = session.number(VERSION);
        if (current < latest) {
            throw new Failure(Failure.Unavailability.WRONG_SCHEMA, current == 0
                    ? Session.emptied("schema_version")
                    : "the store has schema version " + current + ", this petstore needs " + latest);
        }
        return current;
    }

    /// Returns the text of a resource beside this class, e.g. `migrations/sqlite/8.sql`.
    public static String resource(String name) {
        try (InputStream resource = Migrations.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException("no resource " + name);
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
