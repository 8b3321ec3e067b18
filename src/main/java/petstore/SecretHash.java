package petstore;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// The SHA-256 of a secret.
public final class SecretHash {

    private static final int LENGTH = 32;

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
        if (bytes.length != LENGTH) {
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
