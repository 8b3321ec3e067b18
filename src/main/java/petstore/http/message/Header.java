package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A header field of a response, in ASCII.
public final class Header {

    private final String name;
    private final byte[] value;

    private Header(String name, byte[] value) {
        this.name = name;
        this.value = value;
    }

    /// A field of a name, e.g. `Location`, and a value in ASCII.
    public static Header of(String name, String value) {
        return new Header(name, value.getBytes(StandardCharsets.US_ASCII));
    }

    public String name() {
        return name;
    }

    /// Returns the ASCII characters of the value; not a copy.
    public byte[] value() {
        return value;
    }

    /// Returns true if the field has this name, in any case.
    public boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Header header && name.equals(header.name) && Arrays.equals(value, header.value);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return name + ": " + new String(value, StandardCharsets.US_ASCII);
    }
}
