package petstore.http.server;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// The connections of one event loop without a request in flight, in the order in which new connections displace them.
///
/// First come those that are idle after a response, then those without a whole head for over a second. Among each, the oldest comes
/// first. All methods take constant time. Confined to the event loop, except for [#rank].
final class DisplacementOrder {

    /// The rank without any such connection.
    static final long NONE = Long.MAX_VALUE;

    /// The time in which a connection may send a head.
    private static final long SPARED_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long HEADLESS = 1L << 62;
    private static final long EPOCH = System.nanoTime();

    /// The connections, each with the time by [System#nanoTime] since when it is here.
    private final SequencedMap<Connection, Long> idle = new LinkedHashMap<>();
    private final SequencedMap<Connection, Long> headless = new LinkedHashMap<>();
    /// The time of the first connection since [#EPOCH], plus [#HEADLESS] if it is not idle.
    private volatile long first = NONE;

    /// Adds or moves a connection.
    ///
    /// @param isIdle true if its last response is sent; false if it is new, or has begun to send a head, and is spared for a second
    /// @param sinceNanos the time by [System#nanoTime] since when it is idle or has no head
    void add(Connection connection, boolean isIdle, long sinceNanos) {
        (isIdle ? headless : idle).remove(connection);
        (isIdle ? idle : headless).putLast(connection, sinceNanos);
        publish();
    }

    /// Removes a connection that has a request in flight, or is closed.
    void remove(Connection connection) {
        if (idle.remove(connection) != null || headless.remove(connection) != null) {
            publish();
        }
    }

    /// Returns the connection to displace; absent if there is none.
    Optional<Connection> first(long now) {
        Map.Entry<Connection, Long> oldest = idle.isEmpty() ? headless.firstEntry() : idle.firstEntry();
        return rank(now) == NONE ? Optional.empty() : Optional.of(oldest.getKey());
    }

    /// Returns a rank by which event loops are compared: that with the lowest displaces its [#first]. [#NONE] if it has no such
    /// connection. For any thread.
    long rank(long now) {
        long rank = first;
        return rank > HEADLESS / 2 && now - EPOCH - SPARED_NANOS <= rank - HEADLESS ? NONE : rank;
    }

    private void publish() {
        Iterator<Long> since = (idle.isEmpty() ? headless : idle).values().iterator();
        first = since.hasNext() ? since.next() - EPOCH + (idle.isEmpty() ? HEADLESS : 0) : NONE;
    }
}
