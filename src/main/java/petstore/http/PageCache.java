package petstore.http;

import java.util.Optional;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import petstore.Page;
import petstore.PetQuery;
import petstore.Version;

/// Encoded pages of the catalogue, each with the version at which it was read. A page is given out as long as it is what the
/// catalogue would give.
final class PageCache {

    private static final long MOST_BYTES = 32L * 1024 * 1024;
    private static final int BYTES_BESIDE_THE_BODY = 1_024;

    private record Entry(Version version, boolean hasNext, Representation page) {
    }

    private final Cache<PetQuery, Entry> entries = Caffeine.newBuilder().maximumWeight(MOST_BYTES)
            .weigher((PetQuery _, Entry entry) -> entry.page().length() + BYTES_BESIDE_THE_BODY).build();

    /// The page as it is at version `now`; absent when it is not known.
    Optional<Representation> find(PetQuery query, Version now) {
        Entry entry = entries.getIfPresent(query);
        return entry != null && entry.version().keepsPage(entry.hasNext(), now)
                ? Optional.of(entry.page())
                : Optional.empty();
    }

    /// Keeps a page.
    ///
    /// @param version the version before the page was read
    void put(PetQuery query, Version version, Page page, Representation representation) {
        entries.put(query, new Entry(version, page.next().isPresent(), representation));
    }
}
