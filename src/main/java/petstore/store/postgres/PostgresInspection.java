package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.postgresql.PGConnection;
import petstore.CommandFailure;
import petstore.store.Migrations;
import petstore.store.postgres.watch.Cluster;
import petstore.store.postgres.watch.Refusal;
import petstore.store.postgres.watch.ServerState;

/// The state of one host of a PostgreSQL database, read without a change and without a commit.
///
/// @param host e.g. `db.example:5432`
/// @param system the system identifier of its cluster
/// @param off settings for durability that are off, e.g. `fsync and full_page_writes`; empty for none
/// @param synchronousCommit the server's setting, which the service may overrule
/// @param pooled true if a pooler passes on the connection
/// @param schema the version of the store's schema; 0 without tables
/// @param obstacle the reason why no store can be created without one; empty for none
public record PostgresInspection(String host, String system, String version, boolean standby, boolean readOnly,
        String off,
        String synchronousCommit, boolean pooled, String encoding, int maxConnections, int schema, String obstacle,
        Instant now) {

    /// The outcome for a host: its state, or the reason why it cannot be used.
    ///
    /// @param problem empty if there is a state
    /// @param passing true if a start and a command wait until the problem passes
    public record Outcome(String host, Optional<PostgresInspection> state, String problem, boolean passing) {
    }

    private static final String SERVERS_SETTING = "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'";
    private static final String MAY_CREATE = "SELECT has_schema_privilege(current_schema(), 'CREATE')";
    private static final String NOT_ALLOWED = "the user may not create tables; let it own the database, or grant CREATE"
            + " on its schema";

    /// Returns the outcomes of all hosts, which are asked at the same time. The caller limits the time.
    public static List<Outcome> of(PostgresUri uri) {
        List<Outcome> outcomes = PostgresSearch.askAll(uri.hosts(), PostgresInspection::ask);
        Map<String, String> clusters = outcomes.stream().flatMap(outcome -> outcome.state().stream())
                .collect(Collectors.toMap(state -> state.system, state -> state.host, (first, _) -> first));
        return Cluster.difference(clusters).map(difference -> outcomes.stream().map(outcome -> outcome.state().isEmpty()
                ? outcome
                : new Outcome(outcome.host(), Optional.empty(), difference, false)).toList()).orElse(outcomes);
    }

    private static Outcome ask(PostgresUri address) {
        String name = address.hostNames();
        PostgresConnector connector = new PostgresConnector(false);
        try (PostgresHost host = new PostgresHost(connector, address)) {
            ServerState state = host.observe();
            host.prover().prove(state, false);
            try (PostgresSession session = connector.open(address, PostgresConnector.Timeouts.WATCH)) {
                return new Outcome(name, Optional.of(read(address, state, session)), "", false);
            }
        } catch (SQLException e) {
            Refusal refusal = PostgresErrors.refusal(e, false);
            return new Outcome(name, Optional.empty(), refusal.reason(),
                    refusal.outlook() != Refusal.Outlook.LASTING);
        } catch (CommandFailure e) {
            return new Outcome(name, Optional.empty(), e.getMessage(), false);
        }
    }

    private static PostgresInspection read(PostgresUri address, ServerState state, PostgresSession session)
            throws SQLException {
        int schema = Migrations.version(Migrations.Scripts.POSTGRESQL, session);
        if (schema == Migrations.LATEST) {
            PostgresSchema.requireTables(session, true);
        }
        return new PostgresInspection(address.hostNames(), state.lineage().system(),
                session.text("SHOW server_version"), state.standby(),
                state.readOnly(), state.off(), session.text(SERVERS_SETTING), isPooled(session),
                session.text("SHOW server_encoding"), Integer.parseInt(session.text("SHOW max_connections")), schema,
                obstacle(session, address),
                Instant.ofEpochMilli(Long.parseLong(session.text(PostgresPets.SELECT_NOW))));
    }

    private static String obstacle(PostgresSession session, PostgresUri address) throws SQLException {
        Optional<String> obstacle = PostgresSchema.obstacle(session, address);
        return obstacle.orElse(session.text(MAY_CREATE).equals("t") ? "" : NOT_ALLOWED);
    }

    /// Returns true if a pooler passes on the connection: the driver then has another process number than the server.
    private static boolean isPooled(PostgresSession session) throws SQLException {
        int process = session.unwrap(PGConnection.class).getBackendPID();
        return !session.text("SELECT pg_backend_pid()").equals(String.valueOf(process));
    }
}
