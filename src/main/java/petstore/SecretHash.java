package petstore;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// The SHA-256 of a secret: enough to recognise the secret, not enough to use it.
public final class SecretHash {

    private static final int LENGTH = 32;

    private final byte[] bytes;

    private SecretHash(byte[] bytes) {
        this.bytes = bytes;
    }

    /// The hash of a secret's UTF-8 bytes.
    public static SecretHash of(String secret) {
        return new SecretHash(Sha256.of(secret.getBytes(StandardCharsets.UTF_8)));
    }

    /// The hash that [#hex] wrote: 64 hexadecimal digits, else `IllegalArgumentException`.
    public static SecretHash ofHex(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("not a SHA-256: " + bytes.length + " bytes");
        }
        return new SecretHash(bytes);
    }

    /// 64 hexadecimal digits.
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    /// Whether `secret` is the one that was hashed, in a time that does not depend on where it differs.
    public boolean matches(String secret) {
        return MessageDigest.isEqual(bytes, of(secret).bytes);
    }
}
