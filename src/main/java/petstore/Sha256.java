package petstore;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;

/// SHA-256, which every JDK has.
public final class Sha256 {

    /// One for each thread: to make it takes longer than to hash little.
    private static final ThreadLocal<MessageDigest> DIGESTS = ThreadLocal.withInitial(Sha256::begin);

    private Sha256() {
    }

    /// The hash of all of `bytes`: 32 bytes.
    public static byte[] of(byte[] bytes) {
        return of(digest -> digest.update(bytes));
    }

    /// The hash of what `parts` gives to a digest: 32 bytes. Meanwhile it makes no other hash.
    public static byte[] of(Consumer<MessageDigest> parts) {
        MessageDigest digest = DIGESTS.get();
        digest.reset();
        parts.accept(digest);
        return digest.digest();
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
