package petstore;

import java.util.Optional;

/// Which page of the catalogue is wanted. Source: `listPets`.
///
/// @param limit the most animals on the page, 1 to [#MAX_LIMIT]
/// @param status only animals with this status; absent for all animals
/// @param after only animals with a greater id: the last id of the page before, 0 for the first page
public record PetQuery(int limit, Optional<PetStatus> status, long after) {

    /// The largest page.
    public static final int MAX_LIMIT = 100;
    /// The size of a page when the client names none.
    public static final int DEFAULT_LIMIT = 20;

    /// Errors: `IllegalArgumentException` for a limit that is none.
    public PetQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit " + limit);
        }
    }

    /// The same query for the page that begins behind `id`.
    public PetQuery continuedAfter(long id) {
        return new PetQuery(limit, status, id);
    }
}
