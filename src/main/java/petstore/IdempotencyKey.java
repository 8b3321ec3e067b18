package petstore;

import java.time.Duration;
import java.time.Instant;

/// What makes a request act once, however often it is sent. Source: the `Idempotency-Key` field of the IETF draft.
///
/// @param name what tells this request from others
/// @param fingerprint a digest of what is asked for, 64 hexadecimal digits: the same name with another fingerprint is a mistake of the client
/// @param received when the request came
/// @param retention how long its result is kept
public record IdempotencyKey(Name name, String fingerprint, Instant received, Duration retention) {

    /// What tells a request from others.
    ///
    /// @param owner whose it is: the name of the API key, so that a key that takes its place still matches
    /// @param operation what is asked for, e.g. `createPet`
    /// @param key what the client chose, 1 to 255 visible ASCII characters
    public record Name(String owner, String operation, String key) {
    }
}
