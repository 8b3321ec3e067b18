package petstore.store.block;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.PetQuery;

/// Animals in memory as JSON, in blocks of consecutive ids, so that a page needs no database.
///
/// Within an epoch, animals up to the greatest id never change. So a block is right for every page of its epoch that it completes.
public final class BlockCache {

    /// The usual number of ids in a block.
    public static final int IDS = 256;

    private static final long MOST_BYTES = 24L * 1024 * 1024;
    /// A power of two.
    private static final int RECENT = 1 << 14;
    /// What a block costs if another has to go, in the unit of the two below. So reading blocks that do not fit stays cheap.
    private static final int COST = 512;
    private static final int SAVED_BY_HIT = 8;
    private static final int SAVED_BY_MISS = 1;
    private static final int MOST_SAVED = 16 * COST;

    /// A block in an epoch.
    private record Key(long epoch, long number) {
    }

    /// The store behind this cache.
    public interface Source {

        /// Reads a whole page, queued.
        CompletableFuture<Page> readPage(PetQuery query);

        /// Reads a block in one snapshot, queued.
        CompletableFuture<Block> readBlock(Block.Ids ids);

        /// Returns the epoch; absent if it is not known now.
        Optional<Long> findEpoch();

        /// Returns the version; absent if it is not known now.
        Optional<CatalogueVersion> findVersion();
    }

    private final Source source;
    private final int idsOfBlock;
    private final Cache<Key, Block> blocks = Caffeine.newBuilder().executor(Runnable::run).maximumWeight(MOST_BYTES)
            .weigher((Key _, Block block) -> block.bytes()).build();
    private final Policy.Eviction<Key, Block> size = blocks.policy().eviction().orElseThrow();
    private final Map<Key, CompletableFuture<Block>> inFlight = new ConcurrentHashMap<>();
    private final AtomicLong latestEpoch = new AtomicLong();
    /// For each block that was requested recently, an id in it: there the walk goes on whose page was read last. Blocks that share a slot
    /// overwrite each other.
    private final AtomicLongArray recent = new AtomicLongArray(RECENT);
    private final AtomicInteger saved = new AtomicInteger();

    public BlockCache(Source source, int idsOfBlock) {
        this.source = source;
        this.idsOfBlock = idsOfBlock;
        recent.set(0, Long.MAX_VALUE);
    }

    /// Returns a page of blocks, or else one that the store reads whole: no page is joined from two snapshots.
    ///
    /// @param epoch the epoch before this call
    public CompletableFuture<Page> list(PetQuery query, long epoch) {
        if (epoch > latestEpoch.get() && latestEpoch.getAndAccumulate(epoch, Math::max) < epoch) {
            blocks.invalidateAll();
        }
        return fill(new BlockPage(query), epoch);
    }

    private CompletableFuture<Page> fill(BlockPage page, long epoch) {
        while (page.needsBlock()) {
            Key key = key(epoch, page.from());
            Block block = blocks.getIfPresent(key);
            if (block == null) {
                if (!isWanted(key, page.from()) || !isAffordable()) {
                    return readPage(page, key);
                }
                return readBlock(key).thenCompose(read -> {
                    page.add(read);
                    return fill(page, epoch);
                });
            }
            page.add(block);
        }
        if (!isCurrent(page, epoch)) {
            return readPage(page, epoch);
        }
        save(SAVED_BY_HIT);
        return CompletableFuture.completedFuture(page.toPage());
    }

    /// Returns true if the page is complete, and the catalogue has not changed since its epoch was read.
    private boolean isCurrent(BlockPage page, long epoch) {
        return page.hasNext()
                ? source.findEpoch().equals(Optional.of(epoch))
                : page.open().map(block -> new CatalogueVersion(epoch, block.version().lastId()))
                        .filter(end -> source.findVersion().equals(Optional.of(end))).isPresent();
    }

    /// Returns true if the block was requested before. The pages of a walk count as one request.
    private boolean isWanted(Key key, long from) {
        long last = recent.get(slot(key));
        return last != from && last / idsOfBlock == key.number();
    }

    /// Returns true if there is room for a block, or if enough reads were saved to displace another block.
    private boolean isAffordable() {
        return size.weightedSize().orElse(0) < MOST_BYTES / 16 * 15
                || saved.getAndUpdate(before -> before < COST ? before : before - COST) >= COST;
    }

    private void save(int more) {
        if (saved.get() < MOST_SAVED) {
            saved.addAndGet(more);
        }
    }

    /// Reads a page whose block `key` is missing.
    private CompletableFuture<Page> readPage(BlockPage page, Key key) {
        save(SAVED_BY_MISS);
        recent.set(slot(key), page.from());
        return source.readPage(page.query()).thenApply(read -> {
            read.next().ifPresent(next -> recent.set(slot(key), Math.min(next.after() + 1, ids(key).last())));
            return read;
        });
    }

    /// Reads a page that the blocks do not complete. If it shows that the last block has grown, that block is dropped.
    private CompletableFuture<Page> readPage(BlockPage page, long epoch) {
        CompletableFuture<Page> whole = source.readPage(page.query());
        return page.open().isEmpty() ? whole : whole.thenApply(read -> {
            Block last = page.open().get();
            read.next().filter(next -> last.isOutdated(next.after()))
                    .ifPresent(_ -> blocks.asMap().remove(key(epoch, last.ids().first()), last));
            return read;
        });
    }

    /// Reads a block, once for all who wait for it.
    private CompletableFuture<Block> readBlock(Key key) {
        CompletableFuture<Block> result = new CompletableFuture<>();
        CompletableFuture<Block> other = inFlight.putIfAbsent(key, result);
        if (other != null) {
            return other;
        }
        var _ = source.readBlock(ids(key)).whenComplete((block, failure) -> {
            if (failure == null) {
                blocks.put(key, block);
            }
            inFlight.remove(key);
            var _ = failure == null ? result.complete(block) : result.completeExceptionally(failure);
        });
        return result;
    }

    private Key key(long epoch, long id) {
        return new Key(epoch, id / idsOfBlock);
    }

    private Block.Ids ids(Key key) {
        long first = key.number() * idsOfBlock;
        return new Block.Ids(first, first + idsOfBlock - 1);
    }

    private static int slot(Key key) {
        return (int) key.number() & RECENT - 1;
    }
}
