package petstore;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The status of an animal in the store. Source: SPEC `PetStatus`.
public enum PetStatus {
    AVAILABLE, PENDING, SOLD;

    private static final Map<String, PetStatus> BY_TEXT = Stream.of(values())
            .collect(Collectors.toMap(PetStatus::text, Function.identity()));

    public static final String VIOLATION = Stream.of(values()).map(PetStatus::text)
            .collect(Collectors.joining(", ", "status must be one of ", ""));

    private final String text = name().toLowerCase(Locale.ROOT);

    /// Returns the status in JSON, queries and the store, e.g. `available`.
    public String text() {
        return text;
    }

    public static Optional<PetStatus> find(String text) {
        return Optional.ofNullable(BY_TEXT.get(text));
    }
}
