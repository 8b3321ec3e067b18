package petstore.store;

/// The purpose for which a command opens a store.
public enum StoreAccess {
    /// Reads a store that must exist.
    READ,
    /// Changes a store that must exist.
    CHANGE,
    /// Changes a store, and creates it if it is missing.
    CREATE
}
