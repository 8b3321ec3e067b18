package petstore.store.postgres;

import java.time.Duration;

/// A wait for a PostgreSQL database that cannot commit yet. Any thread may ask whether it is going on.
public final class DatabaseWait {

    /// The limit if none is set.
    public static final Duration LIMIT = Duration.ofMinutes(2);

    private final Duration limit;
    private volatile boolean active;

    /// @param limit how long to wait
    public DatabaseWait(Duration limit) {
        this.limit = limit;
    }

    Duration limit() {
        return limit;
    }

    /// Returns whether a start is waiting for its database, so that it may be ended at once.
    public boolean isActive() {
        return active;
    }

    void setActive(boolean active) {
        this.active = active;
    }
}
