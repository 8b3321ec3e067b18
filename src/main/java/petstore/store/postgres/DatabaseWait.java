package petstore.store.postgres;

import java.time.Duration;

/// A wait for a PostgreSQL database that cannot commit yet.
public final class DatabaseWait {

    /// The limit if none is set.
    public static final Duration LIMIT = Duration.ofMinutes(2);

    private final Duration limit;
    private volatile boolean active;

    /// @param limit the longest wait
    public DatabaseWait(Duration limit) {
        this.limit = limit;
    }

    Duration limit() {
        return limit;
    }

    /// Returns true while a start waits for its database. May be called from any thread.
    public boolean isActive() {
        return active;
    }

    void setActive(boolean active) {
        this.active = active;
    }
}
