package petstore.http.message;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/// The header fields of a request, by name in any case.
public interface HeaderFields {

    /// The names of the fields that the service reads, with the field of [TrustedProxies]. A server drops the others.
    List<String> READ = List.of("Accept", "Accept-Encoding", "Access-Control-Request-Method", "Authorization",
            "Content-Encoding",
            "Content-Length", "Content-Type", "Expect", "Idempotency-Key", "If-Match", "If-None-Match", "Origin",
            "Traceparent",
            "Tracestate", "X-Request-Id");

    /// A weight of 0, e.g. `q=0.000`.
    Pattern NO_WEIGHT = Pattern.compile("\\s*+q=0\\.?0*+\\s*+", Pattern.CASE_INSENSITIVE);

    /// Returns the values of all fields of this name, in their order.
    List<String> all(String name);

    /// Returns the first value of this name; null for none.
    @Nullable
    String first(String name);

    default boolean contains(String name) {
        return first(name) != null;
    }

    /// Returns the elements of all fields of this name together, which are one list (RFC 9110 section 5.6.1). Empty ones do not count.
    default List<String> elements(String name) {
        return contains(name)
                ? all(name).stream().flatMap(list -> Stream.of(list.split(",", -1))).map(String::strip)
                        .filter(element -> !element.isEmpty()).toList()
                : List.of();
    }

    /// Returns true if a list field, e.g. `Accept`, names a value with a weight above 0 (RFC 9110 section 12.5). Wildcards do not
    /// count.
    ///
    /// @param value in lower case, e.g. `text/html`
    default boolean accepts(String name, String value) {
        return elements(name).stream().anyMatch(item -> {
            int end = item.indexOf(';');
            return item.substring(0, end < 0 ? item.length() : end).strip().equalsIgnoreCase(value)
                    && (end < 0 || Stream.of(item.substring(end + 1).split(";", -1))
                            .noneMatch(parameter -> NO_WEIGHT.matcher(parameter).matches()));
        });
    }
}
