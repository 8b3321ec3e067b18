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
        String off, String synchronousCommit, boolean pooled, int maxConnections, int schema,
        String obstacle, Instant now) {

    /// The outcome for a host: its state, or the reason why it cannot be used.
    ///
    /// @param problem empty if there is a state
    /// @param passing true if a start and a command wait until the problem passes
    public record Outcome(String host, Optional<PostgresInspection> state, String problem, boolean passing) {
    }

    /// A pooler passes on the connection if the driver has another process number than the server.
    private static final String SELECT = "SELECT current_setting('server_version'),"
            + " (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'), pg_backend_pid() <> ?,"
            + " current_setting('max_connections')::INT, " + PostgresPets.NOW;

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
        try (PostgresHost host = new PostgresHost(address)) {
            ServerState state = host.observe();
            host.prover().prove(state, false);
            try (PostgresSession session = PostgresConnector.open(address, PostgresConnector.Timeouts.WATCH)) {
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
        int schema = Migrations.POSTGRESQL.version(session);
        if (schema == Migrations.LATEST) {
            PostgresSchema.requireTables(session, true);
        }
        String obstacle = PostgresSchema.obstacle(session, address);
        int process = session.unwrap(PGConnection.class).getBackendPID();
        return session.rows(SELECT, row -> new PostgresInspection(address.hostNames(), state.lineage().system(),
                row.getString(1), state.standby(), state.readOnly(), state.off(), row.getString(2), row.getBoolean(3),
                row.getInt(4), schema, obstacle, Instant.ofEpochMilli(row.getLong(5))), process).getFirst();
    }
}
