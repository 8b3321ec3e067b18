package petstore.store.queue;

import java.util.concurrent.atomic.AtomicLong;

/// Estimates waiting times from the duration of recent work, and refuses items that would wait too long.
public final class AdmissionControl {

    /// A new measurement has 1/16 of the weight.
    private static final int WEIGHT = 16;

    private final long longestNs;
    private final int servers;
    private final AtomicLong eachNs = new AtomicLong();

    /// @param longestNs the longest wait, in nanoseconds
    /// @param servers the number of threads that do the work
    public AdmissionControl(long longestNs, int servers) {
        this.longestNs = longestNs;
        this.servers = servers;
    }

    /// Returns true if another item may wait behind `waiting` items. The first may always wait, so that the estimate is renewed.
    public boolean admits(int waiting) {
        return waiting == 0 || waiting * (eachNs.get() / servers) <= longestNs;
    }

    public void recordDuration(long ns) {
        eachNs.updateAndGet(each -> each + (ns - each) / WEIGHT);
    }
}
