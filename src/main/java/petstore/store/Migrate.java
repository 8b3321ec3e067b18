package petstore.store;

/// What is done about a store whose schema is older than the program. One that is newer is always refused, but for [#OFF].
public enum Migrate {
    /// It is brought up to date.
    AUTO,
    /// It is refused.
    CHECK,
    /// Nobody looks at its version.
    OFF
}
