package petstore;

/// A version of the catalogue. Equal versions have the same animals. Within an epoch, the catalogue grows only at its end.
///
/// @param epoch rises if the store changes in another way: by SQL, or by a failover that lost animals
/// @param lastId the greatest id used, 0 for none; animals that are added later get greater ids
public record CatalogueVersion(long epoch, long lastId) {

    /// Returns a version that no catalogue has.
    public static CatalogueVersion unknownIn(long epoch) {
        return new CatalogueVersion(epoch, -1);
    }

    public CatalogueVersion plusEpochs(long epochs) {
        return new CatalogueVersion(epoch + epochs, lastId);
    }

    public boolean fellBelow(CatalogueVersion before) {
        return epoch < before.epoch || lastId < before.lastId;
    }

    /// Returns the component-wise maximum of both versions.
    public CatalogueVersion max(CatalogueVersion other) {
        return new CatalogueVersion(Math.max(epoch, other.epoch), Math.max(lastId, other.lastId));
    }
}
