package petstore;

/// What became of a request to add an animal once.
///
/// @param pet the animal
/// @param replayed whether an earlier request with the same [IdempotencyKey] had added it
public record Added(Pet pet, boolean replayed) {
}
