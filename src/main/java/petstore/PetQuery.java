package petstore;

import java.util.Optional;

/// A query for a page of the catalogue. Source: `listPets`.
///
/// @param limit the maximum number of animals, 1 to [#MAX_LIMIT]
/// @param after the last id of the page before; 0 for the first page
public record PetQuery(int limit, Optional<PetStatus> status, long after) {

    public static final int MAX_LIMIT = 100;
    public static final int DEFAULT_LIMIT = 20;

    public PetQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit " + limit);
        }
    }

    public PetQuery continuedAfter(long id) {
        return new PetQuery(limit, status, id);
    }
}
