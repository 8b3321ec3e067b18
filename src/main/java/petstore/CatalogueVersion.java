package petstore;

/// A version of the catalogue, which grows only at its end. Equal versions have the same animals.
///
/// @param epoch changes if the store changes in another way, e.g. after a failover that lost animals
/// @param lastId the greatest id used, 0 for none; animals that are added later get greater ids
public record CatalogueVersion(long epoch, long lastId) {

    /// Returns this version if it includes `id`, else the version of this epoch that ends with `id`.
    public CatalogueVersion reaching(long id) {
        return id <= lastId ? this : new CatalogueVersion(epoch, id);
    }
}
