package petstore;

/// A version of the catalogue, which grows only at its end. Equal versions have the same animals.
///
/// @param epoch changes if the store changes in another way, e.g. after a failover that lost animals
/// @param lastId the greatest id used, 0 for none; animals that are added later get greater ids
public record CatalogueVersion(long epoch, long lastId) {

    /// Returns true if a page that was read at this version is the same at a `later` one.
    ///
    /// @param hasNext whether another page follows; if so, the page never changes within an epoch
    public boolean keepsPage(boolean hasNext, CatalogueVersion later) {
        return epoch == later.epoch && (hasNext || lastId == later.lastId);
    }

    /// Returns this version if it has the id `id`, else the version with that id.
    public CatalogueVersion reaching(long id) {
        return id <= lastId ? this : new CatalogueVersion(epoch, id);
    }
}
