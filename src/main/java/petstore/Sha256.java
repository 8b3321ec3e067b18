package petstore;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;

/// The hash function SHA-256.
public final class Sha256 {

    /// Reused, because creating a digest takes longer than hashing a short text.
    private static final ThreadLocal<MessageDigest> DIGESTS = ThreadLocal.withInitial(Sha256::begin);

    private Sha256() {
    }

    /// Returns the hash, 32 bytes, of what `parts` adds to a digest. `parts` must not call this class.
    public static byte[] of(Consumer<MessageDigest> parts) {
        MessageDigest digest = DIGESTS.get();
        digest.reset();
        parts.accept(digest);
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
