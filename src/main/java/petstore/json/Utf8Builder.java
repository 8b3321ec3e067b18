package petstore.json;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

import com.fasterxml.jackson.core.io.NumberOutput;
import petstore.Utf8;

/// Text in UTF-8 that is put together piece by piece. For one thread.
public final class Utf8Builder {

    private static final int LONGEST_NUMBER = Long.toString(Long.MIN_VALUE).length();

    private byte[] bytes;
    private int length;

    /// An empty one.
    ///
    /// @param capacity for how many bytes there is room at first
    public Utf8Builder(int capacity) {
        bytes = new byte[capacity];
    }

    /// In bytes.
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

    /// Appends text as it is.
    public Utf8Builder append(Utf8 text) {
        return append(text.bytes(), text.offset(), text.length());
    }

    /// Appends all that was appended to another one.
    public Utf8Builder append(Utf8Builder other) {
        return append(other.bytes, 0, other.length);
    }

    /// Appends a number in decimal digits, after `-` when it is negative.
    public Utf8Builder append(long number) {
        makeRoom(LONGEST_NUMBER);
        length = NumberOutput.outputLong(number, bytes, length);
        return this;
    }

    /// Appends text that is in UTF-8 already.
    public Utf8Builder append(byte[] text, int offset, int count) {
        makeRoom(count);
        System.arraycopy(text, offset, bytes, length, count);
        length += count;
        return this;
    }

    private void makeRoom(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
        }
    }

    /// All that was appended; nothing is appended or forgotten afterwards.
    public Utf8 toUtf8() {
        return new Utf8(bytes, 0, length);
    }

    /// Writes all that was appended, and is empty then.
    public void moveTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
        clear();
    }

    /// Forgets all that was appended.
    public void clear() {
        length = 0;
    }
}
