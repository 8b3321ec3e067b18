package petstore.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

import petstore.Failure;

/// Brings the schema up to date by numbered scripts (`1.sql`, `2.sql`, …), each run once. The caller makes it one transaction.
///
/// A script's statements end in `;` at the end of a line. A script that has been released is never changed.
final class Migrations {

    private static final int LATEST = 1;

    private Migrations() {
    }

    /// @param dialect the folder of scripts, e.g. `sqlite`
    static void run(Session session, String dialect) throws SQLException {
        session.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL PRIMARY KEY)");
        int current = checkKnown(session);
        for (int version = current + 1; version <= LATEST; version++) {
            for (String statement : script(dialect + "/" + version + ".sql").split(";\\s*\\n", 0)) {
                session.execute(statement);
            }
            session.execute("INSERT INTO schema_version (version) VALUES (" + version + ")");
        }
    }

    /// Whether there is nothing to do; asks without locking anybody out. Errors: as for [#checkKnown].
    static boolean isLatest(Session session) throws SQLException {
        return !session.text("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'").equals("0")
                && checkKnown(session) == LATEST;
    }

    /// The version of a store's schema. Errors: [Failure] when it is newer than this program.
    static int checkKnown(Session session) throws SQLException {
        int current = Integer.parseInt(session.text("SELECT coalesce(max(version), 0) FROM schema_version"));
        if (current > LATEST) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "the store has schema version " + current
                    + ", made by a newer petstore; this one knows versions up to " + LATEST);
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
