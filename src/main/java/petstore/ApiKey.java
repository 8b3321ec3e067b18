package petstore;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// An API key as the store keeps it: everything but the secret.
///
/// @param id the key's public id, see [KeyToken]
/// @param name what its owner is called, 1 to 255 characters
/// @param scopes what it allows, at least one
/// @param secret the hash of its secret
/// @param created when it was made
/// @param expires from when on it is refused; absent when it stays
/// @param revoked when it was withdrawn; absent while it is good
public record ApiKey(String id, String name, Set<Scope> scopes, SecretHash secret, Instant created,
        Optional<Instant> expires, Optional<Instant> revoked) {

    public ApiKey {
        scopes = Set.copyOf(scopes);
    }

    /// Whether the key may be used at this moment, whoever holds it.
    public boolean isGoodAt(Instant now) {
        return revoked.isEmpty() && expires.filter(end -> !now.isBefore(end)).isEmpty();
    }
}
