package petstore.http.message;

import java.util.List;

import org.jspecify.annotations.Nullable;

/// The header fields of a request, by name in any case.
public interface HeaderFields {

    /// Returns the values of all fields of this name, in their order.
    List<String> all(String name);

    /// Returns the first value of this name; null for none.
    @Nullable
    String first(String name);

    /// Returns true if there is a field of this name.
    default boolean contains(String name) {
        return first(name) != null;
    }
}
