package petstore.store.postgres;

import java.sql.SQLException;

import petstore.Failure;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;

/// Prepares a PostgreSQL database for the store: its encoding and its tables.
final class PostgresSchema {

    private static final long MIGRATION_LOCK = 0x7065_7473_746F_7265L;
    /// Creates new tables in the schema of the existing ones, even if the search path has changed.
    private static final String STAY_IN_SCHEMA = "SELECT set_config('search_path', relnamespace::regnamespace::text, true)"
            + " FROM pg_class WHERE oid = to_regclass('schema_version')";

    private PostgresSchema() {
    }

    /// Upgrades the schema by the policy `migrate`, without a time limit.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` with a message for the operator.
    static void prepare(PostgresConnector connector, PostgresHost host, PostgresUri uri, SchemaPolicy migrate) {
        try (PostgresSession session = connector.open(host.address(), PostgresConnector.Timeouts.MIGRATION)) {
            String encoding = session.text("SHOW server_encoding");
            if (!encoding.equals("UTF8")) {
                throw Failure.unavailable("the database " + uri + " cannot keep every name: its encoding is " + encoding
                        + "; make one with createdb --encoding=UTF8 --template=template0");
            }
            if (Migrations.arePending(migrate, Migrations.Dialect.POSTGRESQL, session)) {
                session.inTransaction(locked -> {
                    locked.text("SELECT pg_advisory_xact_lock(" + MIGRATION_LOCK + ")");
                    locked.execute(STAY_IN_SCHEMA);
                    return Migrations.run(locked, Migrations.Dialect.POSTGRESQL, Migrations.LATEST);
                });
            }
        } catch (SQLException e) {
            throw PostgresErrors.cannotBeUsed(uri, e);
        }
    }
}
