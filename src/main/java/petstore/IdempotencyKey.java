package petstore;

import java.time.Duration;

/// The key of a request that takes effect once, even if it is repeated. Source: the `Idempotency-Key` field of the IETF draft.
///
/// @param fingerprint a digest of the request, 64 hexadecimal digits; requests with one name must have one fingerprint
public record IdempotencyKey(Name name, String fingerprint, Duration retention) {

    /// The unique name of a request.
    ///
    /// @param owner the name of the API key, which a key that replaces it keeps
    /// @param operation e.g. `createPet`
    /// @param key the client's text, 1 to 255 visible ASCII characters
    public record Name(String owner, String operation, String key) {
    }
}
