package petstore.store.postgres;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/// The latest timeline of each cluster that was chosen for requests, until the process ends. A server of an older timeline lacks
/// animals that got a 201.
final class AdoptedTimelines {

    /// The timelines by system identifier.
    private final Map<String, Long> latest = new ConcurrentHashMap<>();

    /// Records the timeline of a server, before requests use it. It counts even if its use fails.
    void adopt(ServerState.Lineage lineage) {
        latest.merge(lineage.system(), lineage.timeline(), Math::max);
    }

    /// Returns the latest timeline of the cluster of `lineage`; absent if it is not later than that of `lineage`.
    OptionalLong laterThan(ServerState.Lineage lineage) {
        long timeline = latest.getOrDefault(lineage.system(), lineage.timeline());
        return timeline > lineage.timeline() ? OptionalLong.of(timeline) : OptionalLong.empty();
    }
}
