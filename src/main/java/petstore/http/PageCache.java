package petstore.http;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.CatalogueVersion;
import petstore.Page;
import petstore.PetQuery;
import petstore.http.message.ConditionalResponse;

/// Encoded pages of the catalogue, each with the version at which it was read. A page is given out as long as it is what the
/// catalogue would give.
public final class PageCache {

    private static final long MOST_BYTES = 32L * 1024 * 1024;
    private static final int BYTES_BESIDE_THE_BODY = 1_024;
    /// A power of two.
    private static final int ASKED = 1 << 14;

    private record Entry(CatalogueVersion version, boolean hasNext, ConditionalResponse page) {
    }

    private final Cache<PetQuery, Entry> entries = Caffeine.newBuilder().executor(Runnable::run)
            .maximumWeight(MOST_BYTES)
            .weigher((PetQuery _, Entry entry) -> entry.page().length() + BYTES_BESIDE_THE_BODY).build();

    /// The hashes of queries that were asked for lately; several share a place, and the latest has it.
    private final AtomicIntegerArray asked = new AtomicIntegerArray(ASKED);

    private final Counter hits;
    private final Counter misses;

    public PageCache(MeterRegistry meters) {
        hits = requests("hit", meters);
        misses = requests("miss", meters);
        Gauge.builder("petstore.page.cache.bytes", this, PageCache::bytes).description("Memory that pages take.")
                .baseUnit("bytes").register(meters);
    }

    private static Counter requests(String result, MeterRegistry meters) {
        return Counter.builder("petstore.page.cache.requests")
                .description("Pages that were in memory (hit), or had to be read (miss).").tag("result", result)
                .register(meters);
    }

    private double bytes() {
        return entries.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }

    /// Notes that a page is asked for, and says whether it is kept, or worth it, since it is asked for again. One that is asked for
    /// once would take the place of others, and stay just long enough to be expensive for the garbage collector.
    boolean keeps(PetQuery query) {
        if (entries.asMap().containsKey(query) || wasAskedFor(query)) {
            return true;
        }
        misses.increment();
        return false;
    }

    /// Returns a page that has a next page, which never changes within an epoch; absent if it is not in memory.
    Optional<ConditionalResponse> findFull(PetQuery query, long epoch) {
        Entry entry = entries.getIfPresent(query);
        if (entry == null || !entry.hasNext() || entry.version().epoch() != epoch) {
            return Optional.empty();
        }
        hits.increment();
        return Optional.of(entry.page());
    }

    /// The page as it is at version `now`; absent when it is not known.
    Optional<ConditionalResponse> find(PetQuery query, CatalogueVersion now) {
        Entry entry = entries.getIfPresent(query);
        if (entry == null || !entry.version().keepsPage(entry.hasNext(), now)) {
            misses.increment();
            return Optional.empty();
        }
        hits.increment();
        return Optional.of(entry.page());
    }

    /// Keeps a page.
    ///
    /// @param version the version before the page was read
    void put(PetQuery query, CatalogueVersion version, Page page, ConditionalResponse representation) {
        entries.put(query, new Entry(version, page.next().isPresent(), representation));
    }

    /// Forgets all pages.
    public void clear() {
        entries.invalidateAll();
    }

    /// Notes it, and says whether it was noted already.
    private boolean wasAskedFor(PetQuery query) {
        int hash = query.hashCode();
        return asked.getAndSet(hash & (ASKED - 1), hash) == hash;
    }
}
