package petstore.http.message;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/// The header fields of a request, by name in any case.
public interface HeaderFields {

    /// Returns the values of all fields of this name, in their order.
    List<String> all(String name);

    /// Returns the first value of this name; null for none.
    @Nullable
    String first(String name);

    default boolean contains(String name) {
        return first(name) != null;
    }

    /// Returns true if a list field, e.g. `Accept`, names a value with a weight above 0 (RFC 9110 section 12.5). Wildcards do not
    /// count.
    ///
    /// @param value in lower case, e.g. `text/html`
    default boolean accepts(String name, String value) {
        return all(name).stream().flatMap(list -> Stream.of(list.toLowerCase(Locale.ROOT).split(",", -1)))
                .map(item -> item.strip().split("\\s*;\\s*", -1))
                .anyMatch(parts -> parts[0].equals(value)
                        && Stream.of(parts).noneMatch(part -> part.matches("q=0\\.?0*")));
    }
}
