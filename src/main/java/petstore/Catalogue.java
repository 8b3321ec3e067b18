package petstore;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The animals that the store offers.
///
/// Every method may be called from any thread. Those that requests need give futures, so that none takes a thread to wait on; the
/// others block. Errors: [Failure] of kind `UNAVAILABLE` when the store cannot be reached, is full or has too much to do, with which a
/// future fails. What was asked for may have been done all the same, or be done later: only [#addOnce] may be asked again.
public interface Catalogue {

    /// The page that `query` asks for, as of now: everything that was given back by [#add] is in it.
    CompletableFuture<Page> list(PetQuery query);

    /// Returns the version as of now. It has all animals that were acknowledged before, by any process that serves the catalogue, and
    /// those of commands within a second. The future is complete already if this process knows it.
    CompletableFuture<CatalogueVersion> version();

    /// Returns the epoch of [CatalogueVersion], without asking the store. Errors: [Failure] of kind `UNAVAILABLE` if the store cannot be
    /// used now.
    long epoch();

    /// The animal with this id; absent when there is none.
    CompletableFuture<Optional<Pet>> find(long id);

    /// Adds an animal and gives it back under its new id. It is durable and visible to every reader from then on.
    CompletableFuture<Pet> add(NewPet pet);

    /// Adds an animal unless an earlier request under the same name has, in one transaction with the record of it.
    ///
    /// Errors: [Failure] of kind `REQUEST_IN_PROGRESS` while such a request is being carried out, and of kind
    /// `IDEMPOTENCY_KEY_REUSED` when it asked for something else.
    CompletableFuture<Added> addOnce(NewPet pet, IdempotencyKey key);

    /// Shows every animal to `action`, by ascending id, as they are when this is called, whatever is added meanwhile. They come
    /// in groups of some thousands, which another thread may go through; memory does not grow with the number of groups.
    void forEachGroup(Consumer<Iterable<Pet>> action);

    /// How many animals there are.
    long count();

    /// Adds animals in their order, all or none.
    void addAll(List<NewPet> pets);

    /// Returns the greatest id ever used, 0 for none.
    long lastId();

    /// Returns the error message for an id that cannot be added at the end of the catalogue.
    static String notAbove(long id, long lastId) {
        return "id " + id + " does not lie above " + lastId + ", the greatest id so far; sort the file by id";
    }

    /// Adds animals under ids of their own in one transaction, all or none.
    ///
    /// Errors: [Failure] of kind `INVALID_REQUEST` if the first id does not lie above [#lastId].
    ///
    /// @param groups not empty, by ascending id; nothing is added if it throws
    void addWithIds(Iterator<List<Pet>> groups);

    /// What became of a request to add an animal once.
    ///
    /// @param pet the animal
    /// @param replayed whether an earlier request with the same [IdempotencyKey] had added it
    record Added(Pet pet, boolean replayed) {
    }
}
