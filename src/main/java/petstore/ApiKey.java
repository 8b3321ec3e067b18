package petstore;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// An API key as the store keeps it: everything but the secret.
///
/// @param id the key's public id, see [KeyToken]
/// @param name what its owner is called; new keys have a name that [#isName] takes, old ones any
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

    /// The longest name, in code points.
    public static final int MAX_NAME_LENGTH = 64;

    /// They would end a name in the log, or look like an escape.
    private static final String NOT_IN_NAMES = "\"=\\";

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

    /// Returns whether a new key may have this name: 1 to [#MAX_NAME_LENGTH] printable code points, not blank, none of
    /// `"`, `=` and `\`, and no API key.
    public static boolean isName(String text) {
        return text.codePointCount(0, text.length()) <= MAX_NAME_LENGTH
                && !text.codePoints().allMatch(Character::isSpaceChar) && SafeText.of(text, NOT_IN_NAMES).equals(text);
    }

    /// Returns the name for a table or a line of the log, with characters escaped that no new name may have.
    public String shownName() {
        return SafeText.of(name, NOT_IN_NAMES);
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
