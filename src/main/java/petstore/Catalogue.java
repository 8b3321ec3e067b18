package petstore;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    /// How far the catalogue has come, as of now: whatever was acknowledged before, by whichever process that serves it, is part
    /// of it, and what commands have added is within a second. It is there at once when this process knows it.
    CompletableFuture<Version> version();

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

    /// Adds animals under the ids that they bring, all or none; ids given out later are greater than these. Errors: [Failure]
    /// of kind `INVALID_REQUEST` when an id is taken.
    void putBack(List<Pet> pets);

    /// Those of `ids` that are taken.
    Set<Long> taken(Collection<Long> ids);

    /// Makes ids that are given out later greater than `id`, and gives back the greatest id used until now, 0 for none.
    long reserveIds(long id);

    /// What became of a request to add an animal once.
    ///
    /// @param pet the animal
    /// @param replayed whether an earlier request with the same [IdempotencyKey] had added it
    record Added(Pet pet, boolean replayed) {
    }
}
