package petstore;

import java.util.Optional;

/// An animal of the catalogue. Source: SPEC `Pet`.
///
/// @param id positive, rising from 1 in the order of adding, never used twice
/// @param name see [NewPet]
/// @param categoryId see [NewPet]
/// @param status see [NewPet]
public record Pet(long id, Utf8 name, long categoryId, Optional<PetStatus> status) {

    /// What is wrong with an id that is none.
    public static final String ID_VIOLATION = "id must be an integer between 1 and " + Long.MAX_VALUE;

    /// An animal with a name as it is given.
    public Pet(long id, String name, long categoryId, Optional<PetStatus> status) {
        this(id, Utf8.of(name), categoryId, status);
    }

    /// This animal without its id.
    public NewPet withoutId() {
        return new NewPet(name.toString(), categoryId, status);
    }
}
