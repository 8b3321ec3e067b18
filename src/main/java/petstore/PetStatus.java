package petstore;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The status of an animal in the store. Source: SPEC `PetStatus`.
public enum PetStatus {
    AVAILABLE("available"), PENDING("pending"), SOLD("sold");

    private static final List<PetStatus> ALL = List.of(values());
    private static final Map<String, PetStatus> BY_TEXT = ALL.stream()
            .collect(Collectors.toMap(PetStatus::text, Function.identity()));

    public static final String VIOLATION = ALL.stream().map(PetStatus::text)
            .collect(Collectors.joining(", ", "status must be one of ", ""));

    private final String text;

    PetStatus(String text) {
        this.text = text;
    }

    /// Returns the status in JSON, queries and the store, e.g. `available`.
    public String text() {
        return text;
    }

    public static Optional<PetStatus> find(String text) {
        return Optional.ofNullable(BY_TEXT.get(text));
    }
}
