package petstore.http.message;

import java.util.Locale;
import java.util.stream.Stream;

/// Content negotiation (RFC 9110 section 12.5).
public final class Accept {

    private Accept() {
    }

    /// Returns true if a list field, e.g. `Accept`, names a value with a weight above 0. Wildcards do not count.
    ///
    /// @param value in lower case, e.g. `text/html`
    public static boolean names(HeaderFields headers, String field, String value) {
        return headers.all(field).stream().flatMap(list -> Stream.of(list.toLowerCase(Locale.ROOT).split(",", -1)))
                .map(item -> item.strip().split("\\s*;\\s*", -1))
                .anyMatch(parts -> parts[0].equals(value)
                        && Stream.of(parts).noneMatch(part -> part.matches("q=0\\.?0*")));
    }
}
