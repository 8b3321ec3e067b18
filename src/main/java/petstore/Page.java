package petstore;

import java.util.List;
import java.util.Optional;

/// One page of the catalogue.
///
/// @param pets by ascending id, at most the query's limit
/// @param next the query of the page that follows; absent on the last page
public record Page(List<Pet> pets, Optional<PetQuery> next) {

    public Page {
        pets = List.copyOf(pets);
    }

    /// Returns the page of a query.
    ///
    /// @param matches the matching animals; one more than the limit if there is a next page
    public static Page of(PetQuery query, List<Pet> matches) {
        if (matches.size() <= query.limit()) {
            return new Page(matches, Optional.empty());
        }
        List<Pet> pets = matches.subList(0, query.limit());
        return new Page(pets, Optional.of(query.continuedAfter(pets.getLast().id())));
    }
}
