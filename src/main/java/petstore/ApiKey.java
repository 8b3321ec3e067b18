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
/// @param retired the secret before the last rotation; absent when there was none
/// @param rateLimit how many requests it may send, instead of what the service allows every key
/// @param lastUsed when it was last accepted, to the minute; absent when it never was
public record ApiKey(String id, String name, Set<Scope> scopes, SecretHash secret, Instant created,
        Optional<Instant> expires, Optional<Instant> revoked, Optional<RetiredSecret> retired,
        Optional<RateLimit> rateLimit, Optional<Instant> lastUsed) {

    /// A secret that was replaced, and is accepted beside the new one for a while.
    ///
    /// @param until from when on it is refused
    public record RetiredSecret(SecretHash secret, Instant until) {
    }

    public ApiKey {
        scopes = Set.copyOf(scopes);
    }

    /// A key that was just made.
    public static ApiKey issued(KeyToken token, String name, Set<Scope> scopes, Instant now,
            Optional<Instant> expires, Optional<RateLimit> rateLimit) {
        return new ApiKey(token.id(), name, scopes, SecretHash.of(token.secret()), now, expires, Optional.empty(),
                Optional.empty(), rateLimit, Optional.empty());
    }

    /// Whether the key may be used at this moment, whoever holds it.
    public boolean isGoodAt(Instant now) {
        return revoked.isEmpty() && expires.filter(end -> !now.isBefore(end)).isEmpty();
    }

    /// Whether `text` is the key's secret, or the one before while that is accepted.
    public boolean isOwnedBy(String text, Instant now) {
        boolean current = secret.matches(text);
        return current || retired.filter(old -> now.isBefore(old.until())).filter(old -> old.secret().matches(text))
                .isPresent();
    }
}
