package petstore;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Whether an animal can be bought. Source: SPEC `PetStatus`.
public enum PetStatus {
    AVAILABLE("available"), PENDING("pending"), SOLD("sold");

    private static final List<PetStatus> ALL = List.of(values());

    /// What is wrong with a status that is none.
    public static final String VIOLATION = ALL.stream().map(PetStatus::text)
            .collect(Collectors.joining(", ", "status must be one of ", ""));

    private final String text;

    PetStatus(String text) {
        this.text = text;
    }

    /// The status as it is written in JSON, in queries and in the store, e.g. `available`.
    public String text() {
        return text;
    }

    /// Finds the status that is written exactly as `text`; absent when there is none.
    public static Optional<PetStatus> find(String text) {
        for (PetStatus status : ALL) {
            if (status.text.equals(text)) {
                return Optional.of(status);
            }
        }
        return Optional.empty();
    }
}
