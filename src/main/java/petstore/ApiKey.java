package petstore;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/// An API key in the store, without its secret.
///
/// @param name the name of the owner; a new key has a name that [#isName] accepts
/// @param scopes the permissions, not empty
/// @param expires absent if the key does not expire
/// @param retired the secret before the last rotation; absent if there was none
/// @param rateLimit the key's own limit; absent for the service's limit
/// @param lastUsed the time of the last accepted request, to the minute; absent if there was none
public record ApiKey(String id, String name, Set<Scope> scopes, SecretHash secret, Instant created,
        Optional<Instant> expires, Optional<Instant> revoked, Optional<RetiredSecret> retired,
        Optional<RateLimit> rateLimit, Optional<Instant> lastUsed) {

    /// The name of the key in the variable `PETSTORE_API_KEY`, which the store does not have.
    public static final String CONFIGURED_NAME = "PETSTORE_API_KEY";

    /// The longest name, in code points.
    public static final int MAX_NAME_LENGTH = 64;

    /// The SHA-256 of a secret.
    public static final class SecretHash {

        private final byte[] bytes;

        private SecretHash(byte[] bytes) {
            this.bytes = bytes;
        }

        public static SecretHash of(String secret) {
            return new SecretHash(Sha256.of(secret.getBytes(StandardCharsets.UTF_8)));
        }

        /// Parses a hash of 64 hexadecimal digits. Errors: `IllegalArgumentException`.
        public static SecretHash ofHex(String hex) {
            byte[] bytes = HexFormat.of().parseHex(hex);
            if (bytes.length != 32) {
                throw new IllegalArgumentException("not a SHA-256: " + bytes.length + " bytes");
            }
            return new SecretHash(bytes);
        }

        /// Returns 64 hexadecimal digits.
        public String hex() {
            return HexFormat.of().formatHex(bytes);
        }

        /// Returns true if this is the hash of `secret`, in constant time.
        public boolean matches(String secret) {
            return MessageDigest.isEqual(bytes, of(secret).bytes);
        }
    }

    /// A replaced secret, which is still accepted before `until`.
    public record RetiredSecret(SecretHash secret, Instant until) {
    }

    public ApiKey {
        scopes = Set.copyOf(scopes);
    }

    public static ApiKey issued(KeyToken token, String name, Set<Scope> scopes, Instant now,
            Optional<Instant> expires, Optional<RateLimit> rateLimit) {
        return new ApiKey(token.id(), name, scopes, SecretHash.of(token.secret()), now, expires, Optional.empty(),
                Optional.empty(), rateLimit, Optional.empty());
    }

    /// Returns true if a new key may have this name: 1 to [#MAX_NAME_LENGTH] printable code points, not blank, without `"`, `=`,
    /// `\` and API keys.
    public static boolean isName(String text) {
        return text.codePointCount(0, text.length()) <= MAX_NAME_LENGTH
                && !text.codePoints().allMatch(Character::isSpaceChar) && SafeText.ofName(text).equals(text);
    }

    /// Throws [CommandFailure] if a new key must not have this name, because it is that of the key in the variable.
    public static void requireNotConfigured(String name) {
        if (name.equals(CONFIGURED_NAME)) {
            throw new CommandFailure("the key in the variable PETSTORE_API_KEY has the name " + CONFIGURED_NAME
                    + "; choose another with --name");
        }
    }

    /// Returns the name for a table or the log, see [SafeText#ofName].
    public String shownName() {
        return SafeText.ofName(name);
    }

    /// Returns true if the key is neither revoked nor expired.
    public boolean isValidAt(Instant now) {
        return revoked.isEmpty() && expires.filter(end -> !now.isBefore(end)).isEmpty();
    }

    /// Returns true if `text` is the current secret, or a retired one that is still accepted.
    public boolean hasSecret(String text, Instant now) {
        return secret.matches(text)
                || retired.filter(old -> now.isBefore(old.until()) && old.secret().matches(text)).isPresent();
    }
}
