package petstore.store;

/// The purpose for which a command opens a store.
public enum StoreAccess {
    /// Reads a store that must exist.
    READ,
    /// Changes a store that must exist.
    CHANGE,
    /// Changes a store, and creates it if it is missing.
    CREATE,
    /// Changes a store that no other process may use, and creates it if it is missing. A shared database has no such access.
    EXCLUSIVE;

    /// Returns true if a missing store is created.
    public boolean creates() {
        return this == CREATE || this == EXCLUSIVE;
    }
}
