package petstore.http.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;

import petstore.ApiKey;
import petstore.KeyToken;
import petstore.Scope;

/// The API key of the configuration: any text, with every scope. It is not in the store.
public final class ConfiguredKey {

    /// The key in the form of the key ring.
    final ApiKey key;

    private final byte[] text;

    public ConfiguredKey(String text, Instant now) {
        this.key = ApiKey.issued(new KeyToken("configured", text), "PETSTORE_API_KEY", EnumSet.allOf(Scope.class), now,
                Optional.empty(), Optional.empty());
        this.text = text.getBytes(StandardCharsets.UTF_8);
    }

    /// Returns true if `given` is the key, in constant time for its length. Not hashed, because the process knows the secret.
    boolean matches(String given) {
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), text);
    }
}
