package petstore;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The catalogue of animals.
///
/// For any number of threads. Methods that return futures do not block. Errors: [Failure] of kind `UNAVAILABLE` if the store cannot be
/// reached, is full or is overloaded. Even then, an animal may have been added, or be added later: only [#add] with a key is safe to repeat.
public interface Catalogue {

    /// Returns a page that is as current as [#version]. It shows changes by SQL after at most three seconds, as [#findEpoch].
    CompletableFuture<Page> list(PetQuery query);

    /// Returns the current version. It includes all animals that any serving process has acknowledged, and those of commands after at
    /// most a second. The future is complete at once if this process knows the version.
    CompletableFuture<CatalogueVersion> version();

    /// Returns the epoch of the current version if this process knows it; absent if only [#version] can tell. It includes changes by SQL
    /// after at most three seconds. Errors: [Failure] of kind `UNAVAILABLE` if the store cannot be used now.
    Optional<Long> findEpoch();

    CompletableFuture<Optional<Pet>> find(long id);

    /// Adds an animal. Returns it with its id, once it is durable and visible to every reader. With a key, one transaction adds the animal
    /// and the record of the key, unless an earlier request with this key has added one.
    ///
    /// Errors: [Failure] of kind `REQUEST_IN_PROGRESS` during a request with this key; of kind `IDEMPOTENCY_KEY_REUSED` if the
    /// key was used for another animal.
    CompletableFuture<Added> add(NewPet pet, Optional<IdempotencyKey> key);

    /// Returns the result that [#add] would return without adding an animal; absent if it would add it. Errors: as for [#add].
    CompletableFuture<Optional<Added>> findAdded(IdempotencyKey key);

    /// Passes all animals of one snapshot to `action`, by ascending id, in groups of some thousands. `action` may hand a group to another
    /// thread. Memory does not grow with the number of groups.
    void forEachGroup(Consumer<Iterable<Pet>> action);

    long count();

    /// Adds animals in their order in one transaction.
    void addAll(List<NewPet> pets);

    /// Returns the greatest id ever used, 0 for none.
    long lastId();

    /// Returns the error message for an id that cannot be added at the end of the catalogue.
    static String notAbove(long id, long lastId) {
        return "id " + id + " does not lie above " + lastId + ", the greatest id so far; sort the file by id";
    }

    /// Adds animals with their ids in one transaction.
    ///
    /// Errors: [Failure] of kind `INVALID_REQUEST` if the first id does not lie above [#lastId].
    ///
    /// @param groups not empty, by ascending id; nothing is added if the iterator throws
    void addWithIds(Iterator<List<Pet>> groups);

    /// One page of the catalogue.
    ///
    /// @param json the animals by ascending id, at most the query's limit, as a JSON array; not a copy
    /// @param next the query of the page that follows; absent on the last page
    @SuppressWarnings("ArrayRecordComponent") // Pages are not compared.
    record Page(byte[] json, Optional<PetQuery> next) {
    }

    /// The result of [#add].
    ///
    /// @param replayed true if an earlier request added the animal
    record Added(Pet pet, boolean replayed) {
    }
}
