package petstore.http.message;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.PetQuery;
import petstore.PetStatus;

/// A strict parser for parameters of requests.
public final class QueryParameters {

    private static final PetQuery DEFAULTS = new PetQuery(PetQuery.DEFAULT_LIMIT, Optional.empty(), 0);

    private static final Pattern BAD_ESCAPE = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private final Map<String, List<String>> values = new HashMap<>();
    private final List<String> violations = new ArrayList<>();

    private QueryParameters(String query) {
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String value = decode(equals < 0 ? "" : pair.substring(equals + 1));
            values.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(value);
        }
    }

    /// Parses the query of listPets, e.g. `limit=20&status=available&after=20`. Each parameter may be missing; others are
    /// ignored.
    ///
    /// @throws Failure of kind `INVALID_REQUEST` that names every violation
    public static PetQuery petQuery(@Nullable String query) {
        return query == null || query.isEmpty() ? DEFAULTS : new QueryParameters(query).petQuery();
    }

    private PetQuery petQuery() {
        int limit = (int) integer("limit", DEFAULTS.limit(), 1, PetQuery.MAX_LIMIT);
        Optional<String> statusText = single("status");
        Optional<PetStatus> status = statusText.flatMap(PetStatus::find);
        if (statusText.isPresent() && status.isEmpty()) {
            violations.add(PetStatus.VIOLATION);
        }
        long after = integer("after", DEFAULTS.after(), Long.MIN_VALUE, Long.MAX_VALUE);
        if (!violations.isEmpty()) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, String.join("; ", violations));
        }
        return new PetQuery(limit, status, after);
    }

    private long integer(String name, long missing, long min, long max) {
        Optional<String> text = single(name);
        if (text.isEmpty()) {
            return missing;
        }
        OptionalLong value = int64(text.get());
        if (value.isEmpty() || value.getAsLong() < min || value.getAsLong() > max) {
            violations.add(name + " must be an integer between " + min + " and " + max);
            return missing;
        }
        return value.getAsLong();
    }

    private Optional<String> single(String name) {
        List<String> given = values.getOrDefault(name, List.of());
        if (given.size() > 1) {
            violations.add(name + " must not be repeated");
            return Optional.empty();
        }
        return given.stream().findFirst();
    }

    /// Parses an integer of 64 bits in plain decimal notation: `7`, `-7`, `-0`, but not `+7`, `007` or `7.0`. Absent for other
    /// text.
    public static OptionalLong int64(String text) {
        try {
            long value = Long.parseLong(text);
            boolean isPlain = text.equals(String.valueOf(value)) || text.equals("-0");
            return isPlain ? OptionalLong.of(value) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /// Returns decoded text. Malformed text stays as it is: it then matches no name and no allowed value.
    public static String decode(String text) {
        // The decoder would throw an exception, which costs more than a microsecond.
        return text.indexOf('%') >= 0 && BAD_ESCAPE.matcher(text).find()
                ? text
                : URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
