package petstore.store.postgres.watch;

/// The state of a PostgreSQL server.
///
/// @param started the time of its start, in seconds since 1970-01-01T00:00:00Z
/// @param standby true in recovery
/// @param readOnly true if new transactions are read-only
/// @param off the settings for durability that are off, e.g. `fsync and full_page_writes`; empty for none
public record ServerState(Lineage lineage, String started, boolean standby, boolean readOnly, String off) {

    /// The history of a database's data. It changes with a failover.
    ///
    /// @param system the cluster's system identifier
    /// @param tables the OIDs of the database, of the schema in use, which its `search_path` chooses, and of its tables. A restore in
    ///   place changes those of the tables; VACUUM FULL, CLUSTER and TRUNCATE do not.
    /// @param timeline the timeline; of a standby the latest that it is known to have followed
    public record Lineage(String system, String tables, long timeline) {
    }

    public boolean isSameRun(ServerState other) {
        return lineage.equals(other.lineage) && started.equals(other.started);
    }
}
