package petstore.store.postgres.watch;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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

    /// Returns a text that names the clusters if hosts are of more than one; else it is absent.
    ///
    /// @param hosts the first host of each cluster, by system identifier
    public static Optional<String> difference(Map<String, String> hosts) {
        return Optional.of(hosts).filter(all -> all.size() > 1)
                .map(all -> all.entrySet().stream().map(each -> each.getValue() + " has the system identifier "
                        + each.getKey()).sorted()
                        .collect(Collectors.joining(", ", "the hosts are of different clusters (",
                                "); name those of one")));
    }

    public boolean has(ServerState.Lineage lineage) {
        return system.equals(lineage.system());
    }
}
