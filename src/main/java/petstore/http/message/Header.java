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

    /// Returns the fields of all lists, in this order. If only one list has fields, returns that list.
    @SafeVarargs
    public static List<Header> joined(List<Header>... lists) {
        List<Header> joined = List.of();
        for (List<Header> list : lists) {
            if (joined.isEmpty()) {
                joined = list;
            } else if (!list.isEmpty()) {
                joined = Stream.concat(joined.stream(), list.stream()).toList();
            }
        }
        return joined;
    }

    /// Returns true if the field has this name, in any case.
    public boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }
}
