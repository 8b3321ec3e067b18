package petstore;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Text as it stands in a store and in JSON, in UTF-8: nothing decodes what is only passed on.
public final class Utf8 {

    /// What stands for bytes that are not UTF-8, and may also be meant.
    private static final char REPLACEMENT = '\uFFFD';

    private final byte[] bytes;
    private final int offset;
    private final int length;

    /// The text in a part of `bytes`, which are never changed afterwards and are kept as long as this is.
    public Utf8(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
    }

    /// The text of a string, which has no unpaired surrogates.
    public static Utf8 of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new Utf8(bytes, 0, bytes.length);
    }

    /// The text that `bytes` are; absent when they are not UTF-8.
    public static Optional<String> decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) < 0) {
            return Optional.of(text);
        }
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /// In bytes.
    public int length() {
        return length;
    }

    /// What holds the text, from [#offset] on; nobody changes it.
    public byte[] bytes() {
        return bytes;
    }

    /// Where the text begins in [#bytes].
    public int offset() {
        return offset;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Utf8 text && length == text.length
                && Arrays.equals(bytes, offset, offset + length, text.bytes, text.offset, text.offset + text.length);
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return new String(bytes, offset, length, StandardCharsets.UTF_8);
    }
}
