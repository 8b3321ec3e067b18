package petstore.store.postgres;

import java.sql.SQLException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CommandFailure;
import petstore.SafeText;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.StoreAccess;
import petstore.store.postgres.watch.ServerState;

/// The schema of a PostgreSQL database that holds the store. The database may have other tables, also with the same names.
final class PostgresSchema {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresSchema.class);
    static final long MIGRATION_LOCK = 0x7065_7473_746F_7265L;
    private static final String TRY_LOCK = "SELECT pg_try_advisory_xact_lock(" + MIGRATION_LOCK + ")";
    private static final String LOCK_HOLDER = "SELECT concat_ws(', ', 'process ' || pid, nullif(application_name, ''),"
            + " host(client_addr)) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted"
            + " AND (classid::BIGINT << 32) + objid::BIGINT = " + MIGRATION_LOCK + " AND datname = current_database()";
    /// The SQLSTATE for an object in use.
    static final String IN_USE = "55006";
    /// Requests of other replicas wait behind an upgrade that waits for a table, for less than their statement timeout.
    private static final String LIMIT_LOCK_WAITS = "SET LOCAL lock_timeout = '500ms'";
    /// Puts the first schema of the search path that has a store before all others, which triggers of an operator may need.
    private static final String USE = "SELECT set_config('search_path',"
            + " concat_ws(', ', name, nullif(current_setting('search_path'), '')), false)"
            + " FROM (SELECT oid::regnamespace::text AS name FROM pg_namespace WHERE oid IN " + Migrations.STORES
            + " AND nspname = ANY (current_schemas(false))"
            + " ORDER BY array_position(current_schemas(false), nspname) LIMIT 1) AS first";
    private static final String DEFECTS = Migrations.resource("migrations/postgresql/defects.sql");
    static final String BY_OPTIONS = " by options=-csearch_path%3D";
    /// Its parameter is true if the address names a schema. Another program may have tables under the names of the store's; another schema
    /// may lack some of a store's.
    private static final String OBSTACLE = """
            SELECT CASE
              WHEN datistemplate OR datname = 'template1'
                THEN 'each new database would be a copy of this template; use another database'
              WHEN current_schema() IS NULL OR current_schema() ^@ 'pg_'
                THEN 'no schema for tables is in its search_path, which is ' || current_setting('search_path')
                  || '; create one of these, GRANT its USAGE, or name another%1$sNAME'
              WHEN taken IS NOT NULL
                THEN 'another program has tables there (' || taken
                  || '); use another database, or name another schema%1$sNAME'
              WHEN store IS NOT NULL AND NOT ?
                THEN 'the schema ' || store || ' has one; use it%1$s' || store || ', or make another%1$s'
                  || current_schema()
              WHEN NOT has_schema_privilege(current_schema(), 'CREATE')
                THEN 'the user may not create tables; let it own the database, or grant CREATE on its schema'
              ELSE '' END
            FROM pg_database, to_regnamespace(quote_ident(current_schema())) AS current,
              LATERAL (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class WHERE relnamespace = current
                AND relname IN ('schema_version', 'pet', 'pet_id', 'api_key')) AS others (taken),
              LATERAL (SELECT min(oid::regnamespace::text) FROM pg_namespace WHERE oid <> current AND oid IN (
                SELECT relnamespace FROM pg_class WHERE relkind IN ('r', 'p') AND relname IN ('pet', 'pet_id')
                GROUP BY relnamespace HAVING count(*) = 2)) AS stores (store)
            WHERE datname = current_database()""".formatted(BY_OPTIONS);

    private PostgresSchema() {
    }

    /// Makes a session use the first schema of its search path that has a store. Without a store, nothing changes.
    static void use(Session session) throws SQLException {
        session.execute(USE);
    }

    /// Prepares a database for a store: checks its encoding, and upgrades the schema by the policy `migrate`, unless a command only reads,
    /// without a time limit for the statements of its scripts. Creates a missing store if `access` allows it, and logs where.
    ///
    /// Errors: [CommandFailure]; `SQLException` if a statement fails, also if other
    /// sessions use a table that an upgrade changes; then the caller tries again.
    static void prepare(PostgresHost host, Migrations migrations, SchemaPolicy migrate, StoreAccess access)
            throws SQLException {
        ServerState state = host.state().orElseThrow();
        try (PostgresSession session = host.open(state, PostgresConnector.Timeouts.WATCH)) {
            String encoding = session.text("SHOW server_encoding");
            if (!encoding.equals("UTF8")) {
                throw new CommandFailure("the database " + host.address() + " cannot keep every name: its encoding is "
                        + encoding
                        + "; make one with createdb --encoding=UTF8 --template=template0");
            }
            if (!access.creates() && !hasStore(session)) {
                String obstacle = obstacle(session, host.address());
                throw new CommandFailure("there is no store in " + place(session, host) + "; " + (obstacle.isEmpty()
                        ? "'" + SafeText.command("serve") + "' or '" + SafeText.command("keys create") + "' makes one"
                        : obstacle));
            }
            if (!migrations.arePending(access == StoreAccess.READ ? SchemaPolicy.CHECK : migrate, session)) {
                requireTables(session, false);
                return;
            }
        }
        try (PostgresSession session = host.open(state, PostgresConnector.Timeouts.MIGRATION)) {
            // A server that falls silent must not hold the start.
            session.limit(PostgresConnector.Timeouts.WATCH.statement());
            boolean isNew = session.inTransaction(locked -> {
                boolean created = prepareUpgrade(locked, host);
                session.limit(PostgresConnector.Timeouts.MIGRATION.statement());
                migrations.run(locked, migrations.latest());
                requireTables(locked, false);
                return created;
            });
            if (isNew) {
                LOG.info("created a new store in {}", place(session, host));
            }
        }
        // The state has the new tables.
        var _ = host.observe();
        host.reconnect();
    }

    /// Throws `SQLException` with all defects of a store: a crash may empty a table, changes may pass its triggers, or, for a service, its
    /// role lacks a privilege.
    static void requireTables(Session session, boolean serves) throws SQLException {
        String defects = session.rows(DEFECTS, row -> row.getString(1), serves, serves).getFirst();
        if (!defects.isEmpty()) {
            throw new SQLException(defects);
        }
    }

    /// Checks the schema, and the tables for a service. A newer schema may have others. Errors: as for [Migrations#requireLatest];
    /// `SQLException` with the defects. Returns true.
    static boolean requireReady(Session session) throws SQLException {
        if (Migrations.POSTGRESQL.requireLatest(session) == Migrations.LATEST) {
            requireTables(session, true);
        }
        return true;
    }

    static boolean hasStore(PostgresHost host) throws SQLException {
        try (PostgresSession session = host.open(host.state().orElseThrow(), PostgresConnector.Timeouts.WATCH)) {
            return hasStore(session);
        }
    }

    /// Excludes other upgrades until the end of the transaction. Returns true if there was no store before. Errors: `SQLException` with
    /// [#IN_USE] during another upgrade.
    private static boolean prepareUpgrade(Session session, PostgresHost host) throws SQLException {
        if (session.text(TRY_LOCK).equals("f")) {
            String holders = String.join("; ", session.rows(LOCK_HOLDER, row -> row.getString(1)));
            throw new SQLException("another session upgrades the schema (" + holders
                    + "); wait, or end it by pg_terminate_backend", IN_USE);
        }
        session.execute(LIMIT_LOCK_WAITS);
        // Another process may have created the store meanwhile.
        use(session);
        boolean isNew = !hasStore(session);
        String obstacle = isNew ? obstacle(session, host.address()) : "";
        if (!obstacle.isEmpty()) {
            throw new CommandFailure("no store can be created in " + place(session, host) + "; " + obstacle);
        }
        return isNew;
    }

    private static boolean hasStore(Session session) throws SQLException {
        return Migrations.POSTGRESQL.hasStore(session);
    }

    private static String place(Session session, PostgresHost host) throws SQLException {
        return "the schema " + session.text("SELECT coalesce(current_schema(), '(none)')") + " of the database "
                + host.address();
    }

    /// Returns the reason why no store can be created in a schema without one; an empty text if it can.
    static String obstacle(Session session, PostgresUri address) throws SQLException {
        boolean named = address.searchPath().filter(path -> !path.contains("$user")).isPresent();
        return session.rows(OBSTACLE, row -> row.getString(1), named).getFirst();
    }
}
