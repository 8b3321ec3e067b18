package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/// A header field of a response.
///
/// @param value ASCII characters; not a copy
@SuppressWarnings("ArrayRecordComponent") // Header fields are not compared.
public record Header(String name, byte[] value) {

    /// Returns a field, e.g. `Location`, with a value in ASCII.
    public static Header of(String name, String value) {
        return new Header(name, value.getBytes(StandardCharsets.US_ASCII));
    }

    /// Returns the fields of both lists, in this order.
    public static List<Header> joined(List<Header> first, List<Header> second) {
        if (first.isEmpty() || second.isEmpty()) {
            return first.isEmpty() ? second : first;
        }
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /// Returns true if the field has this name, in any case.
    public boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }
}
