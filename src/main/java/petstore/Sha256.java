package petstore;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256, which every JDK has.
public final class Sha256 {

    private Sha256() {
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
