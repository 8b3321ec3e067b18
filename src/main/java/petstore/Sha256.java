package petstore;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The hash function SHA-256.
public final class Sha256 {

    /// Reused, because creating a digest takes longer than hashing a short text.
    private static final ThreadLocal<MessageDigest> DIGESTS = ThreadLocal.withInitial(Sha256::begin);

    private Sha256() {
    }

    /// Returns the hash of these parts, 32 bytes.
    public static byte[] of(byte[]... parts) {
        MessageDigest digest = DIGESTS.get();
        digest.reset();
        for (byte[] part : parts) {
            digest.update(part);
        }
        return digest.digest();
    }

    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
