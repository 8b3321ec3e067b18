package petstore;

/// How far a catalogue has come. Animals are never changed or taken away: between equal versions nothing was added.
///
/// @param lastId the greatest id used, 0 for none: animals that are added get greater ones
/// @param putBacks how often animals were put back under ids of their own, which may be smaller
public record Version(long lastId, long putBacks) {

    /// Whether a page that was read at this version is still the same at a `later` one.
    ///
    /// @param hasNext whether another page follows: then animals may have been added behind it
    public boolean keepsPage(boolean hasNext, Version later) {
        return putBacks == later.putBacks && (hasNext || lastId == later.lastId);
    }

    /// The later of two versions, of which one may be so in one way and the other in the other.
    public Version latest(Version other) {
        return new Version(Math.max(lastId, other.lastId), Math.max(putBacks, other.putBacks));
    }
}
