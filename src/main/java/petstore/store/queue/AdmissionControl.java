package petstore.store.queue;

import java.util.concurrent.atomic.AtomicLong;

/// Refuses at once what would wait too long, by the measured duration of recent work.
public final class AdmissionControl {

    /// A new measurement counts as this part of the estimate.
    private static final int WEIGHT = 16;

    private final long longestNs;
    private final int servers;
    private final AtomicLong eachNs = new AtomicLong();

    /// @param longestNs how long something may wait, in nanoseconds
    /// @param servers how many threads do the work
    public AdmissionControl(long longestNs, int servers) {
        this.longestNs = longestNs;
        this.servers = servers;
    }

    /// Returns whether another item may wait behind this many. The first always may, so that a new estimate can be made.
    public boolean admits(int waiting) {
        return waiting == 0 || waiting * (eachNs.get() / servers) <= longestNs;
    }

    /// Records the duration of the work on one item.
    public void recordDuration(long ns) {
        eachNs.updateAndGet(each -> each + (ns - each) / WEIGHT);
    }
}
