package petstore;

import java.util.Optional;

/// The animals that the store offers.
///
/// Every method blocks and may be called from any thread. Errors: [Failure] of kind `UNAVAILABLE` when the store cannot
/// be reached, is full or has too much to do; nothing was changed then as far as the store can tell.
public interface Catalogue {

    /// The page that `query` asks for, as of now: everything that [#add] has given back is in it.
    Page list(PetQuery query);

    /// The animal with this id; absent when there is none.
    Optional<Pet> find(long id);

    /// Adds an animal and gives it back under its new id. It is durable and visible to every reader from then on.
    Pet add(NewPet pet);
}
