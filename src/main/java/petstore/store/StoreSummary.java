package petstore.store;

import petstore.Pet;

/// The size and checksum of a store, for a comparison with another store.
///
/// @param results the number of kept results of requests with an Idempotency-Key
/// @param lastId the greatest id ever used for an animal, 0 for none
/// @param sha256 the SHA-256 of all rows in a fixed order, 64 hexadecimal digits
public record StoreSummary(long pets, long keys, long results, long lastId, String sha256) {

    /// Returns the summary for people, e.g. `46 animals, 2 API keys, 0 kept results, greatest id 46, SHA-256 9f86…`.
    @Override
    public String toString() {
        return Pet.counted(pets) + ", " + keys + (keys == 1 ? " API key, " : " API keys, ") + results
                + (results == 1 ? " kept result" : " kept results") + ", greatest id " + lastId
                + ", SHA-256 " + sha256;
    }
}
