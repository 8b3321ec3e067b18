package petstore.http.message;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/// The header fields of a request, by name in any case.
public final class HeaderFields {

    /// The names of the fields that the service reads, besides the field of [TrustedProxies]. A server drops the others, so that a request
    /// that waits takes little memory.
    public static final List<String> READ = List.of("Accept", "Accept-Encoding", "Access-Control-Request-Method",
            "Authorization",
            "Content-Encoding",
            "Content-Length", "Content-Type", "Expect", "Idempotency-Key", "If-Match", "If-None-Match", "Origin",
            "Traceparent",
            "Tracestate", "X-Request-Id");

    /// A weight of 0, e.g. `q=0.000`.
    private static final Pattern NO_WEIGHT = Pattern.compile("\\s*+q=0\\.?0*+\\s*+", Pattern.CASE_INSENSITIVE);

    private final Predicate<CharSequence> isKept;
    /// Each name, followed by its value.
    private final List<String> pairs = new ArrayList<>(0);

    /// @param isKept returns true for the names of fields that are kept; the others must not be asked for
    public HeaderFields(Predicate<CharSequence> isKept) {
        this.isKept = isKept;
    }

    /// Adds a field after the others, if it is kept. Returns this object.
    public HeaderFields add(CharSequence name, CharSequence value) {
        if (isKept.test(name)) {
            pairs.add(name.toString());
            pairs.add(value.toString());
        }
        return this;
    }

    /// Returns the values of all fields of this name, in their order.
    public List<String> all(String name) {
        int first = find(name, 0);
        if (first < 0) {
            return List.of();
        }
        List<String> values = new ArrayList<>(1);
        for (int i = first; i >= 0; i = find(name, i + 2)) {
            values.add(pairs.get(i + 1));
        }
        return values;
    }

    /// Returns the first value of this name; null for none.
    public @Nullable String first(String name) {
        int index = find(name, 0);
        return index < 0 ? null : pairs.get(index + 1);
    }

    public boolean contains(String name) {
        return find(name, 0) >= 0;
    }

    /// Returns the index of a name; -1 for none.
    private int find(String name, int from) {
        assert isKept.test(name) : name + " is dropped; add it to HeaderFields.READ";
        for (int i = from; i < pairs.size(); i += 2) {
            if (pairs.get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    /// Returns the elements of all fields of this name together, which are one list (RFC 9110 section 5.6.1). Empty ones do not count.
    public List<String> elements(String name) {
        List<String> lists = all(name);
        return lists.isEmpty()
                ? lists
                : lists.stream().flatMap(list -> Stream.of(list.split(",", -1))).map(String::strip)
                        .filter(element -> !element.isEmpty()).toList();
    }

    /// Returns true if a list field, e.g. `Accept`, names a value with a weight above 0 (RFC 9110 section 12.5). Wildcards do not
    /// count.
    ///
    /// @param value in lower case, e.g. `text/html`
    public boolean accepts(String name, String value) {
        return elements(name).stream().anyMatch(item -> {
            int end = item.indexOf(';');
            return item.substring(0, end < 0 ? item.length() : end).strip().equalsIgnoreCase(value)
                    && (end < 0 || Stream.of(item.substring(end + 1).split(";", -1))
                            .noneMatch(parameter -> NO_WEIGHT.matcher(parameter).matches()));
        });
    }

    /// Drops all fields. Nothing may ask for them afterwards.
    public void drop() {
        pairs.clear();
    }
}
