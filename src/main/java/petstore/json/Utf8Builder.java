package petstore.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import com.fasterxml.jackson.core.io.NumberOutput;

/// A builder of text in UTF-8. For one thread.
public final class Utf8Builder {

    private static final int LONGEST_NUMBER = Long.toString(Long.MIN_VALUE).length();

    /// For [#appendPlain]: every character of ASCII is plain.
    private static final int[] NOTHING_SPECIAL = new int[128];

    private byte[] bytes;
    private int length;

    /// @param capacity the initial size in bytes
    public Utf8Builder(int capacity) {
        bytes = new byte[capacity];
    }

    /// Returns the length in bytes.
    public int length() {
        return length;
    }

    /// Appends one character of ASCII.
    public Utf8Builder append(char ascii) {
        makeRoom(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /// Appends characters of ASCII.
    @SuppressWarnings("deprecation") // It takes the low byte of each character, which is all that ASCII has.
    public Utf8Builder append(String ascii) {
        int count = ascii.length();
        makeRoom(count);
        ascii.getBytes(0, count, bytes, length);
        length += count;
        return this;
    }

    /// Appends any text.
    public Utf8Builder appendText(String text) {
        return appendPlain(text, NOTHING_SPECIAL) ? this : append(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Appends text if it is ASCII without special characters. Returns false, and appends nothing, for other text.
    ///
    /// @param special by character: 0 for those that are not special
    public boolean appendPlain(String text, int[] special) {
        int count = text.length();
        makeRoom(count);
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            if (c >= special.length || special[c] != 0) {
                return false;
            }
            bytes[length + i] = (byte) c;
        }
        length += count;
        return true;
    }

    /// Appends the text of another builder.
    public Utf8Builder append(Utf8Builder other) {
        return append(other.bytes, other.length);
    }

    /// Appends a number in decimal digits, after `-` when it is negative.
    public Utf8Builder append(long number) {
        makeRoom(LONGEST_NUMBER);
        length = NumberOutput.outputLong(number, bytes, length);
        return this;
    }

    /// Appends text in UTF-8.
    public Utf8Builder append(byte[] text) {
        return append(text, text.length);
    }

    private Utf8Builder append(byte[] text, int count) {
        makeRoom(count);
        System.arraycopy(text, 0, bytes, length, count);
        length += count;
        return this;
    }

    private void makeRoom(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
        }
    }

    /// Returns a copy of the text.
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /// Writes the text and clears this builder.
    public void moveTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
        clear();
    }

    /// Removes all text.
    public void clear() {
        length = 0;
    }
}
