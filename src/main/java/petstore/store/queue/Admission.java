package petstore.store.queue;

import java.util.concurrent.atomic.AtomicLong;

/// Judges whether what comes now would wait too long, by how long what was done lately took: it is refused at once then, instead
/// of late, and what is let in is done in time.
public final class Admission {

    /// How much of the estimate a new measurement makes up.
    private static final int WEIGHT = 16;

    private final long longestNs;
    private final int servers;
    private final AtomicLong eachNs = new AtomicLong();

    /// @param longestNs how long something may wait, in nanoseconds
    /// @param servers how many do the work
    public Admission(long longestNs, int servers) {
        this.longestNs = longestNs;
        this.servers = servers;
    }

    /// Whether one more may wait behind this many. The first one always may, so that a new estimate can be made.
    public boolean admits(int waiting) {
        return waiting == 0 || waiting * (eachNs.get() / servers) <= longestNs;
    }

    /// Tells how long the work on one took.
    public void took(long ns) {
        eachNs.updateAndGet(each -> each + (ns - each) / WEIGHT);
    }
}
