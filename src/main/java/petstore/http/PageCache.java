package petstore.http;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.CatalogueVersion;
import petstore.PetQuery;
import petstore.http.message.ConditionalResponse;

/// Encoded pages of the catalogue. A page is returned only while it equals the page in the catalogue.
public final class PageCache {

    private static final long MOST_BYTES = 8L * 1024 * 1024;
    private static final int BYTES_WITHOUT_BODY = 1_024;
    /// A power of two.
    private static final int RECENT = 1 << 14;

    /// @param version the version before the page was read
    private record CachedPage(CatalogueVersion version, boolean hasNext, ConditionalResponse response) {

        /// Returns true if this page is known to be current in `epoch`: it has a next page, and so does not change within an epoch.
        boolean isFullIn(long epoch) {
            return hasNext && version.epoch() == epoch;
        }
    }

    private final Cache<PetQuery, CachedPage> pages = Caffeine.newBuilder().executor(Runnable::run)
            .maximumWeight(MOST_BYTES)
            .weigher((PetQuery _, CachedPage page) -> page.response().length() + BYTES_WITHOUT_BODY).build();

    /// Hashes of recent queries. Queries that share a slot overwrite each other.
    private final AtomicIntegerArray recent = new AtomicIntegerArray(RECENT);

    private final Counter hits;
    private final Counter misses;

    public PageCache(MeterRegistry meters) {
        MeterProvider<Counter> requests = Counter.builder("petstore.page.cache.requests")
                .description("Requests for pages: cached (hit), or read from the store (miss).").withRegistry(meters);
        hits = requests.withTag("result", "hit");
        misses = requests.withTag("result", "miss");
        Gauge.builder("petstore.page.cache.bytes", pages,
                cache -> cache.policy().eviction().orElseThrow().weightedSize().orElse(0))
                .description("Memory of cached pages.").baseUnit("bytes").register(meters);
    }

    /// Records a request for a page. Returns true if the page is cached or was requested recently.
    ///
    /// A page that is requested only once would displace other pages and burden the garbage collector.
    boolean isWanted(PetQuery query) {
        int hash = query.hashCode();
        if (pages.asMap().containsKey(query) || recent.getAndSet(hash & (RECENT - 1), hash) == hash) {
            return true;
        }
        misses.increment();
        return false;
    }

    /// Returns a page that has a next page; absent if none is cached in this epoch.
    Optional<ConditionalResponse> findFull(PetQuery query, long epoch) {
        CachedPage page = pages.getIfPresent(query);
        if (page == null || !page.isFullIn(epoch)) {
            return Optional.empty();
        }
        hits.increment();
        return Optional.of(page.response());
    }

    /// Returns a page that is current at version `now`; absent if none is cached.
    Optional<ConditionalResponse> find(PetQuery query, CatalogueVersion now) {
        CachedPage page = pages.getIfPresent(query);
        if (page == null || !(page.isFullIn(now.epoch()) || page.version().equals(now))) {
            misses.increment();
            return Optional.empty();
        }
        hits.increment();
        return Optional.of(page.response());
    }

    void put(PetQuery query, CatalogueVersion version, boolean hasNext, ConditionalResponse response) {
        pages.put(query, new CachedPage(version, hasNext, response));
    }

    public void clear() {
        pages.invalidateAll();
    }
}
