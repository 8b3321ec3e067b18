package petstore.store;

/// The policy for a store with an older schema. A newer schema is always refused.
public enum SchemaPolicy {
    /// Applies pending upgrades.
    AUTO,
    /// Fails if an upgrade is pending.
    CHECK
}
