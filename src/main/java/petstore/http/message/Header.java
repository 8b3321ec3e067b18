package petstore.http.message;

import java.nio.charset.StandardCharsets;

/// A header field of a response.
///
/// @param value ASCII characters; not a copy
@SuppressWarnings("ArrayRecordComponent") // Header fields are not compared.
public record Header(String name, byte[] value) {

    /// Returns a field, e.g. `Location`, with a value in ASCII.
    public static Header of(String name, String value) {
        return new Header(name, value.getBytes(StandardCharsets.US_ASCII));
    }

    /// Returns true if the field has this name, in any case.
    public boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }
}
