package petstore.http;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;

import petstore.CatalogueVersion;
import petstore.PetQuery;
import petstore.http.message.ConditionalResponse;
import petstore.memory.SharedMemory;

/// Encoded pages of the catalogue. A page is returned only while it equals the page in the catalogue.
public final class PageCache {

    private static final int BYTES_WITHOUT_BODY = 800;
    /// A power of two.
    private static final int RECENT = 1 << 14;

    private record Key(PetQuery query) implements SharedMemory.Key<CachedPage> {
    }

    /// @param version the version before the page was read
    record CachedPage(CatalogueVersion version, boolean hasNext, ConditionalResponse response)
            implements
                SharedMemory.Value {

        /// Returns true if this page is known to be current in `epoch`: it has a next page, and so does not change within an epoch.
        boolean isFullIn(long epoch) {
            return hasNext && version.epoch() == epoch;
        }

        @Override
        public int bytes() {
            return response.length() + BYTES_WITHOUT_BODY;
        }
    }

    private final SharedMemory memory;

    /// Hashes of recent queries. Queries that share a slot overwrite each other.
    private final AtomicIntegerArray recent = new AtomicIntegerArray(RECENT);

    public PageCache(SharedMemory memory) {
        this.memory = memory;
    }

    /// Records a request for a page. Returns true if the page is cached or was requested recently.
    ///
    /// A page that is requested only once would displace other pages and burden the garbage collector.
    boolean isWanted(PetQuery query) {
        int hash = query.hashCode();
        return contains(query) || recent.getAndSet(hash & (RECENT - 1), hash) == hash;
    }

    /// Returns true if the page is cached. It need not be current.
    boolean contains(PetQuery query) {
        return memory.contains(new Key(query));
    }

    /// Returns a page that has a next page; absent if none is cached in this epoch.
    Optional<ConditionalResponse> findFull(PetQuery query, long epoch) {
        return counted(memory.find(new Key(query)).filter(page -> page.isFullIn(epoch)));
    }

    /// Returns a page that is current at version `now`; absent if none is cached.
    Optional<ConditionalResponse> find(PetQuery query, CatalogueVersion now) {
        return counted(memory.find(new Key(query))
                .filter(page -> page.isFullIn(now.epoch()) || page.version().equals(now)));
    }

    private Optional<ConditionalResponse> counted(Optional<CachedPage> found) {
        found.ifPresent(_ -> memory.hit());
        return found.map(CachedPage::response);
    }

    void keep(PetQuery query, CachedPage page) {
        memory.keep(new Key(query), page);
    }
}
