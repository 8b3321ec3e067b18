package petstore.store.postgres.watch;

/// The cluster of the first server that was seen, which counts until the process ends, and the latest timeline that any of its servers
/// has shown. A server of another cluster may have other animals with the same ids, and a primary of an older timeline may lack some.
///
/// @param system the system identifier; empty before a server was seen
public record Cluster(String system, long timeline) {

    public static final Cluster UNKNOWN = new Cluster("", 0);

    /// Returns this cluster with the timeline of a server, which counts even if the server cannot be used, or is a standby.
    public Cluster with(ServerState.Lineage shown) {
        return this.equals(UNKNOWN) || has(shown)
                ? new Cluster(shown.system(), Math.max(timeline, shown.timeline()))
                : this;
    }

    public boolean has(ServerState.Lineage lineage) {
        return system.equals(lineage.system());
    }
}
