package petstore;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256, which every JDK has.
public final class Sha256 {

    /// One for each thread: to make it takes longer than to hash little.
    private static final ThreadLocal<MessageDigest> DIGESTS = ThreadLocal.withInitial(Sha256::begin);

    private Sha256() {
    }

    /// The hash of all of `bytes`: 32 bytes.
    public static byte[] of(byte[] bytes) {
        return DIGESTS.get().digest(bytes);
    }

    /// A digest with nothing in it.
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
