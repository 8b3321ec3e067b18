package petstore;

import java.util.Optional;

/// An animal of the catalogue. Source: SPEC `Pet`.
///
/// @param id rises from 1 in the order of adding; never used twice
public record Pet(long id, String name, long categoryId, Optional<PetStatus> status) {

    public static final String ID_VIOLATION = "id must be an integer between 1 and " + Long.MAX_VALUE;

    /// Returns the text of a number of animals, e.g. `1 animal` or `46 animals`.
    public static String counted(long animals) {
        return animals + (animals == 1 ? " animal" : " animals");
    }
}
