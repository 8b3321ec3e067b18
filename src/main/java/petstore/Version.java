package petstore;

/// How far a catalogue has come. Animals are never changed or taken away: between equal versions nothing was added.
///
/// @param epoch rises when the store changes in another way, e.g. with a failover that lost animals
/// @param lastId the greatest id used, 0 for none: animals that are added get greater ones
/// @param putBacks how often animals were put back under ids of their own, which may be smaller
public record Version(long epoch, long lastId, long putBacks) {

    /// Returns whether a page that was read at this version is still the same at a `later` one.
    ///
    /// @param hasNext whether another page follows: then animals may have been added behind it
    public boolean keepsPage(boolean hasNext, Version later) {
        return epoch == later.epoch && putBacks == later.putBacks && (hasNext || lastId == later.lastId);
    }

    /// Returns the component-wise maximum of two versions of one epoch.
    public Version latest(Version other) {
        return new Version(epoch, Math.max(lastId, other.lastId), Math.max(putBacks, other.putBacks));
    }

    /// Returns this version, or a later one with the id `id`.
    public Version reaching(long id) {
        return new Version(epoch, Math.max(lastId, id), putBacks);
    }
}
