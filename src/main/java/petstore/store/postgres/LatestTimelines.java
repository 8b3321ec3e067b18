package petstore.store.postgres;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/// The latest timeline of each cluster that any of its servers has shown. A primary of an older timeline may lack acknowledged animals.
final class LatestTimelines {

    /// The timelines by system identifier.
    private final Map<String, Long> latest = new ConcurrentHashMap<>();

    /// Records the timeline of a server, which counts even if the server cannot be used, or is a standby.
    void record(ServerState.Lineage lineage) {
        latest.merge(lineage.system(), lineage.timeline(), Math::max);
    }

    /// Returns the latest timeline of the cluster of `lineage`; absent if it is not later than that of `lineage`.
    OptionalLong laterThan(ServerState.Lineage lineage) {
        long timeline = latest.getOrDefault(lineage.system(), lineage.timeline());
        return timeline > lineage.timeline() ? OptionalLong.of(timeline) : OptionalLong.empty();
    }
}
