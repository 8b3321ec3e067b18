package petstore.sql;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

import petstore.Pet;

/// Animals that were asked for by their ids lately. They are never changed or taken away, so memory is never wrong.
///
/// Each id has one place, which it shares with others: nothing is written when an animal is found, and so the garbage collector has
/// nothing to look through.
final class FoundPets {

    /// A power of two.
    private static final int PLACES = 1 << 17;

    /// In bytes. Longer ones are not kept, so that all take 16 MB at most.
    private static final int LONGEST_NAME = 40;

    private final AtomicReferenceArray<Pet> pets = new AtomicReferenceArray<>(PLACES);

    /// The animal with this id; absent when memory does not have it.
    Optional<Pet> find(long id) {
        return Optional.ofNullable(pets.get(place(id))).filter(pet -> pet.id() == id);
    }

    void add(Pet pet) {
        if (pet.name().length() <= LONGEST_NAME) {
            pets.set(place(pet.id()), pet);
        }
    }

    private static int place(long id) {
        return Long.hashCode(id) & (PLACES - 1);
    }
}
