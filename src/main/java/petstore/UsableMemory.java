package petstore;

/// The memory that the caches and limits of the service are made for.
public final class UsableMemory {

    /// By default, the heap may become an eighth of the machine. The launcher sets how much of it is used.
    private static final long MOST_BYTES = Long.getLong("petstore.memory", Long.MAX_VALUE);

    private UsableMemory() {
    }

    /// Returns the bytes of the heap that may be used. Off-heap memory may be as large.
    public static long bytes() {
        return Math.min(Runtime.getRuntime().maxMemory(), MOST_BYTES);
    }
}
