package petstore.sql;

import java.util.Optional;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import petstore.Pet;

/// Animals that were asked for by their ids lately. They are never changed or taken away, so memory is never wrong.
final class FoundPets {

    /// Some fifty thousand animals.
    private static final long MOST_BYTES = 16L * 1024 * 1024;
    private static final int BYTES_BESIDE_THE_NAME = 256;

    private final Cache<Long, Pet> pets = Caffeine.newBuilder().executor(Runnable::run).maximumWeight(MOST_BYTES)
            .weigher((Long _, Pet pet) -> BYTES_BESIDE_THE_NAME + Character.BYTES * pet.name().length()).build();

    /// The animal with this id; absent when memory does not have it.
    Optional<Pet> find(long id) {
        return Optional.ofNullable(pets.getIfPresent(id));
    }

    void add(Pet pet) {
        pets.put(pet.id(), pet);
    }
}
