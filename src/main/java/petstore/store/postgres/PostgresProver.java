package petstore.store.postgres;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import petstore.CatalogueVersion;
import petstore.store.KnownVersion;
import petstore.store.Migrations;
import petstore.store.Session;
import petstore.store.postgres.PostgresConnector.Timeouts;
import petstore.store.postgres.watch.ServerState;

/// A session that proves by commits that the server of a host commits durably. One thread calls [#prove] and [#version]; the other methods
/// are for any.
///
/// At most one commit is unfinished, and it has no limit: a server process that waits for a stalled disk notices neither a cancel nor the
/// end of its connection, so each further attempt would use up one of the server's connections. It ends early only if the server shows
/// that it does not run.
final class PostgresProver implements AutoCloseable {

    private static final Duration NORMAL = Duration.ofMillis(500);
    /// A statement and its response may be on their way for this time.
    private static final Duration ON_THE_WAY = Duration.ofSeconds(1);

    private static final String CAN_EMIT = "SELECT count(*) FROM pg_proc WHERE proname = 'pg_logical_emit_message'"
            + " AND proargtypes[2] = 'text'::regtype AND has_function_privilege(oid, 'execute')";
    private static final String EMIT = "SELECT pg_logical_emit_message(true, 'petstore', '')";
    private static final String UPDATE = "UPDATE schema_version SET version = version WHERE version = "
            + Migrations.FIRST;
    private static final String MAKE_TABLE = "CREATE TEMPORARY TABLE petstore_probe () ON COMMIT DROP";
    /// Yields what a server process waits for. There is no row if it has ended, or if it waits for its client.
    private static final String SELECT_WAIT = "SELECT CASE wait_event WHEN 'SyncRep'"
            + " THEN 'its synchronous standby (synchronous_standby_names = '"
            + " || current_setting('synchronous_standby_names') || '); check that it is running'"
            + " ELSE concat('the server (', coalesce(wait_event, 'busy'), ')') END"
            + " FROM pg_stat_get_activity(?) WHERE wait_event_type IS DISTINCT FROM 'Client'";

    private record Commit(PostgresSession session, ServerState server, int process, long beganNs) {

        boolean lasts(Duration time) {
            return System.nanoTime() - beganNs > time.toNanos();
        }
    }

    private final PostgresHost host;
    private volatile @Nullable PostgresSession session;
    /// The server of the session; absent if the next proof needs another session.
    private volatile Optional<ServerState> server = Optional.empty();
    private int process;
    private String durableStatement = "";
    private boolean isNew;
    private volatile @Nullable Commit unfinished;
    private volatile String waitsFor = "";

    PostgresProver(PostgresHost host) {
        this.host = host;
    }

    /// Proves that this run of a server commits durably now, and that every session has a server connection of its own. Returns the time
    /// before the commit, by [System#nanoTime].
    ///
    /// Errors: `SQLException` with the reason.
    ///
    /// @param commits false for a command that only reads
    long prove(ServerState expected, boolean commits) throws SQLException {
        try {
            PostgresSession own = session(expected);
            host.requireOwnServers(own, isNew);
            isNew = false;
            long beganNs = System.nanoTime();
            if (commits) {
                commit(own, new Commit(own, expected, process, beganNs));
            }
            return beganNs;
        } catch (Throwable e) {
            close();
            host.reconnect();
            throw e;
        }
    }

    private PostgresSession session(ServerState expected) throws SQLException {
        PostgresSession last = session;
        if (last != null && server.filter(expected::isSameRun).isPresent()) {
            return last;
        }
        close();
        PostgresSession opened = host.open(expected, Timeouts.WATCH);
        session = opened;
        server = Optional.of(expected);
        durableStatement = durableStatement(opened);
        process = Integer.parseInt(opened.text("SELECT pg_backend_pid()"));
        isNew = true;
        return opened;
    }

    private void commit(PostgresSession own, Commit commit) throws SQLException {
        own.limit(Duration.ZERO);
        waitsFor = "";
        unfinished = commit;
        try (Statement statement = own.createStatement()) {
            statement.execute(durableStatement);
            if (statement.getUpdateCount() == 0 && durableStatement.equals(UPDATE)) {
                throw new SQLException("the table schema_version lacks its first row, so no commit can be proved");
            }
            PostgresSession.requireKnownOutcome(statement.getWarnings());
        } finally {
            unfinished = null;
        }
        own.limit(Timeouts.WATCH.response());
    }

    /// Returns a statement that waits at its commit for the disk and the synchronous standby.
    private static String durableStatement(Session session) throws SQLException {
        if (!session.text(CAN_EMIT).equals("0")) {
            return EMIT;
        }
        return Migrations.POSTGRESQL.hasStore(session) ? UPDATE : MAKE_TABLE;
    }

    /// Reads the version of the store on the server that was proved.
    CatalogueVersion version() throws SQLException {
        return KnownVersion.read(Objects.requireNonNull(session));
    }

    /// Looks at an unfinished commit: notes what it waits for, or ends it if the server does not run it, because its connection is dead.
    ///
    /// @param now the state of the host's server
    /// @param observer another session on it
    void judge(ServerState now, Session observer) throws SQLException {
        Commit commit = unfinished;
        if (commit == null || !commit.lasts(NORMAL)) {
            return;
        }
        Optional<String> found = commit.server().isSameRun(now)
                ? observer.rows(SELECT_WAIT, row -> row.getString(1), commit.process()).stream()
                        .findFirst()
                : Optional.empty();
        waitsFor = found.orElse(waitsFor);
        if (found.isEmpty() && commit.lasts(ON_THE_WAY)) {
            commit.session().abort();
        }
    }

    /// Makes the next proof use a new session, because another session on the server has failed.
    void reconnect() {
        server = Optional.empty();
    }

    /// Returns the reason why the commit is unfinished; absent if there is none, or it is not known yet.
    Optional<String> reason() {
        return Optional.of(waitsFor).filter(known -> unfinished != null && !known.isEmpty())
                .map(known -> "a commit waits for " + known);
    }

    @Override
    public void close() {
        PostgresSession last = session;
        session = null;
        if (last == null) {
            return;
        }
        if (unfinished != null) {
            try {
                // Otherwise it would occupy the server until its standby is back.
                last.unwrap(PGConnection.class).cancelQuery();
            } catch (SQLException e) {
                // The server cannot be reached.
            }
            last.abort();
        } else {
            last.close();
        }
    }
}
