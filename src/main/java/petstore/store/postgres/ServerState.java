package petstore.store.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import petstore.store.Session;

/// The state of a PostgreSQL server.
///
/// @param lineage the history of its data
/// @param started the time of its start, in seconds since 1970-01-01T00:00:00Z
/// @param standby true in recovery
/// @param readOnly true if new transactions are read-only
/// @param off the settings for durability that are off, e.g. `fsync and full_page_writes`; empty for none
record ServerState(Lineage lineage, String started, boolean standby, boolean readOnly, String off) {

    /// The history of a database's data. It changes with a failover.
    ///
    /// @param system the cluster's system identifier
    /// @param database the OID of the database
    /// @param timeline the timeline; of a standby the latest that it is known to have followed
    record Lineage(String system, String database, long timeline) {
    }

    /// SQLSTATE `connection_does_not_exist`.
    static final String OTHER_SERVER = "08003";
    /// SQL that yields the timeline. On a primary, `pg_control_checkpoint()` would show the old one until the next checkpoint. A standby
    /// shows the timeline that it receives only to some roles, and only while its primary runs.
    private static final String TIMELINE = "CASE WHEN pg_is_in_recovery()"
            + " THEN greatest((SELECT timeline_id FROM pg_control_checkpoint()),"
            + " (SELECT min_recovery_end_timeline FROM pg_control_recovery()),"
            + " (SELECT max(received_tli) FROM pg_stat_wal_receiver))"
            + " ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::BIT(32)::BIGINT END";
    private static final String SELECT = "SELECT (SELECT system_identifier FROM pg_control_system()),"
            + " (SELECT oid FROM pg_database WHERE datname = current_database()), " + TIMELINE
            + ", extract(epoch FROM pg_postmaster_start_time()), pg_is_in_recovery(),"
            + " current_setting('transaction_read_only') = 'on',"
            + " concat_ws(' and ', CASE current_setting('fsync', true) WHEN 'off' THEN 'fsync' END,"
            + " CASE current_setting('full_page_writes', true) WHEN 'off' THEN 'full_page_writes' END)";

    static ServerState read(Session session) throws SQLException {
        return Session.rows(session.prepare(SELECT), ServerState::read).getFirst();
    }

    private static ServerState read(ResultSet row) throws SQLException {
        return new ServerState(
                new Lineage(row.getString(1), row.getString(2), row.getLong(3)),
                row.getString(4), row.getBoolean(5), row.getBoolean(6), row.getString(7));
    }

    /// Returns the reason why nothing can be committed here now; absent if there is none.
    Optional<String> cannotCommit() {
        String readOnlyReason = readOnly ? "the database is read-only (default_transaction_read_only)" : null;
        return Optional.ofNullable(standby ? "the database is a standby" : readOnlyReason);
    }

    /// Returns the reason why a commit here would not be durable; absent if it would be.
    Optional<String> losesData() {
        return off.isEmpty()
                ? Optional.empty()
                : Optional.of("the database would lose data: its setting " + off + " is off");
    }

    /// Throws `SQLException` if a session, whose address may have moved, is not of this run of this server.
    void requireSameRun(Session session) throws SQLException {
        if (!read(session).isSameRun(this)) {
            throw new SQLException("the address leads to another server now", OTHER_SERVER);
        }
    }

    /// Returns true if this is the same run of the same server as `other`.
    boolean isSameRun(ServerState other) {
        return lineage.equals(other.lineage) && started.equals(other.started);
    }

    /// Returns true if this server has taken over from `other`.
    boolean isSuccessorOf(ServerState other) {
        return lineage.system().equals(other.lineage.system())
                && lineage.timeline() > other.lineage.timeline();
    }
}
