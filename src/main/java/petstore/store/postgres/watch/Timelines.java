package petstore.store.postgres.watch;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The latest timeline of each cluster that any of its servers has shown. A primary of an older timeline may lack acknowledged animals.
public record Timelines(Map<String, Long> latest) {

    /// Returns these timelines with that of a server, which counts even if the server cannot be used, or is a standby.
    public Timelines with(ServerState.Lineage lineage) {
        Map<String, Long> all = new HashMap<>(latest);
        all.merge(lineage.system(), lineage.timeline(), Math::max);
        return new Timelines(Map.copyOf(all));
    }

    /// Returns the latest timeline of the cluster of `lineage`; absent if it is not later than that of `lineage`.
    Optional<Long> laterThan(ServerState.Lineage lineage) {
        return Optional.ofNullable(latest.get(lineage.system())).filter(timeline -> timeline > lineage.timeline());
    }
}
