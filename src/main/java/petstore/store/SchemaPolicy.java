package petstore.store;

/// How a store with an older schema is opened. A newer schema is always refused.
public enum SchemaPolicy {
    /// Applies pending upgrades.
    AUTO,
    /// Fails if an upgrade is pending.
    CHECK
}
