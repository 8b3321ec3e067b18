package petstore.http.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;

import petstore.ApiKey;
import petstore.KeyToken;
import petstore.Scope;

/// A key with every scope that the configuration gives, of which the store knows nothing. Any text may be one.
public final class ConfiguredKey {

    /// What the key ring would know of it.
    final ApiKey key;

    private final byte[] text;

    public ConfiguredKey(String text, Instant now) {
        this.key = ApiKey.issued(new KeyToken("configured", text), "PETSTORE_API_KEY", EnumSet.allOf(Scope.class), now,
                Optional.empty(), Optional.empty());
        this.text = text.getBytes(StandardCharsets.UTF_8);
    }

    /// Whether `given` is the key, in a time that depends on the length of `given` alone. The process knows this secret: to hash
    /// each guess would protect nothing.
    boolean matches(String given) {
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), text);
    }
}
