package petstore.store.block;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.PetQuery;
import petstore.memory.SharedMemory;

/// Animals in memory as JSON, in blocks of consecutive ids, so that a page needs no database.
///
/// Within an epoch, animals never change, and new ones get greater ids. So a page is right if the blocks also have the animal after it:
/// nothing that is added later can belong to it. A last page is right only while the catalogue has the greatest id of the blocks. The
/// store reads every other page, whole.
public final class BlockCache {

    /// The usual number of ids in a block.
    public static final int IDS = 256;

    private static final long NO_EPOCH = Long.MIN_VALUE;
    /// A power of two.
    private static final int RECENT = 1 << 14;
    /// Blocks that are read at the same time. The other readers are left to pages.
    private static final int MOST_IN_FLIGHT = 2;
    /// The cost of a block's read, in pages. All reads together may cost as many pages as blocks have saved the store before. So nothing
    /// is lost if epochs end before new blocks are used.
    private static final int COST_OF_READ = 5;
    private static final int USUAL_BYTES = 25_000;
    /// A block is worth a read when a page that needs it is requested again. Of these repeated requests, one in 64 reads its block even if
    /// memory is full. So memory follows the requests, and a catalogue that does not fit into memory costs at most 10 % more.
    private static final int REPEATS_FOR_SURE_READ = 64;

    /// A block in an epoch.
    private record Key(long epoch, long number) implements SharedMemory.Key<Block> {
    }

    /// The store behind this cache.
    public interface Source {

        /// Reads a whole page, queued.
        CompletableFuture<Page> readPage(PetQuery query);

        /// Reads a block in one snapshot, queued.
        CompletableFuture<Block> readBlock(Block.Ids ids);

        /// Returns the epoch, as [petstore.Catalogue#findEpoch].
        Optional<Long> findEpoch();

        /// Returns the version; absent if it is not known now.
        Optional<CatalogueVersion> findVersion();
    }

    private final Source source;
    private final SharedMemory memory;
    private final int idsOfBlock;
    /// The blocks that are being read.
    private final Set<Key> inFlight = ConcurrentHashMap.newKeySet();
    private final AtomicLong latestEpoch = new AtomicLong(NO_EPOCH);
    /// The last request of each block: the id with which the next page of its walk begins, if that is in the block, too; else the negated
    /// id with which the request began in the block. 0 for none. Blocks that share a slot overwrite each other.
    private volatile AtomicLongArray recent = new AtomicLongArray(RECENT);
    private final AtomicInteger repeats = new AtomicInteger();
    private final LongAdder savedPages = new LongAdder();
    /// The cost of all reads of blocks, in pages.
    private final AtomicLong spentPages;
    /// The most that is saved for later reads, in pages: as much as fills memory once. A new cache may spend as much.
    private final long mostSavedPages;

    public BlockCache(Source source, SharedMemory memory, int idsOfBlock) {
        this.source = source;
        this.memory = memory;
        this.idsOfBlock = idsOfBlock;
        this.mostSavedPages = memory.mostBytes() / USUAL_BYTES * COST_OF_READ;
        this.spentPages = new AtomicLong(-mostSavedPages);
    }

    /// Returns a page, as [petstore.Catalogue#list]. It is never joined from two snapshots that differ in its animals.
    ///
    /// Errors: [petstore.Failure] if the store cannot be used now, although memory may have the page.
    public CompletableFuture<Page> list(PetQuery query) {
        Optional<Long> epoch = source.findEpoch();
        return epoch.filter(this::isLatest).isPresent()
                ? complete(new BlockPage(query), epoch.get())
                : readPage(query);
    }

    /// Returns false for an epoch that is over. The first request of a later epoch clears memory.
    private boolean isLatest(long epoch) {
        long before = latestEpoch.getAndAccumulate(epoch, Math::max);
        if (before < epoch && before != NO_EPOCH) {
            memory.clear();
            recent = new AtomicLongArray(RECENT);
        }
        return before <= epoch;
    }

    private CompletableFuture<Page> complete(BlockPage page, long epoch) {
        while (page.needsBlock()) {
            Key key = key(epoch, page.from());
            Optional<Block> block = memory.find(key);
            if (block.isEmpty()) {
                return readPage(page.query(), key, page.from());
            }
            page.add(block.get());
        }
        if (!isCurrent(page, epoch)) {
            return readPage(page, epoch);
        }
        memory.hit();
        savedPages.increment();
        return CompletableFuture.completedFuture(page.toPage());
    }

    /// Returns true if the page is whole, and the catalogue still has the epoch in which its reading began.
    private boolean isCurrent(BlockPage page, long epoch) {
        return page.hasNext()
                ? source.findEpoch().equals(Optional.of(epoch))
                : page.open().filter(_ -> page.endsInLatestBlock())
                        .map(block -> new CatalogueVersion(epoch, block.version().lastId()))
                        .filter(end -> source.findVersion().equals(Optional.of(end))).isPresent();
    }

    /// Returns true if the block was requested before. The pages of a walk count as one request.
    private boolean isRepeated(Key key, long from) {
        long last = recent.get(slot(key));
        return last != 0 && last != from && Math.abs(last) / idsOfBlock == key.number();
    }

    /// Returns true if a repeated request may read its block.
    private boolean isAffordable() {
        return repeats.incrementAndGet() % REPEATS_FOR_SURE_READ == 0 || (!memory.isFull() && spend());
    }

    /// Returns false if the pages of blocks have saved less than another read costs.
    private boolean spend() {
        long saved = savedPages.sum();
        long before = spentPages.getAndUpdate(spent -> spent + COST_OF_READ > saved
                ? spent
                : Math.max(spent, saved - mostSavedPages) + COST_OF_READ);
        return before + COST_OF_READ <= saved;
    }

    private CompletableFuture<Page> readPage(PetQuery query) {
        memory.missed();
        return source.readPage(query);
    }

    /// Reads a page whose block is missing, then the block if it was requested before. No request waits for a block.
    private CompletableFuture<Page> readPage(PetQuery query, Key key, long from) {
        return readPage(query).thenApply(page -> {
            boolean repeated = isRepeated(key, from);
            recent.set(slot(key),
                    page.next().map(PetQuery::after).filter(last -> last >= from && last < ids(key).last())
                            .map(last -> last + 1).orElse(-from));
            if (repeated) {
                readBlock(key);
            }
            return page;
        });
    }

    /// Reads a page that the blocks do not complete.
    private CompletableFuture<Page> readPage(BlockPage page, long epoch) {
        Optional<Block> open = page.open();
        return readPage(page.query()).thenApply(read -> {
            open.filter(block -> hasGrown(block, read) && block.isOutdated())
                    .ifPresent(block -> memory.remove(key(epoch, block.ids().first()), block));
            return read;
        });
    }

    /// Returns true if the catalogue has animals that its last block lacks.
    private boolean hasGrown(Block last, Page page) {
        return page.next().isPresent()
                || source.findVersion().filter(now -> now.lastId() > last.version().lastId()).isPresent();
    }

    /// Reads a block if that is affordable now, and keeps it. If that fails, a later request tries again.
    private void readBlock(Key key) {
        if (!inFlight.add(key)) {
            return;
        }
        if (inFlight.size() > MOST_IN_FLIGHT || !isAffordable()) {
            inFlight.remove(key);
        } else {
            var _ = CompletableFuture.completedFuture(ids(key)).thenCompose(source::readBlock)
                    .thenAccept(block -> memory.keep(key, block)).whenComplete((_, _) -> inFlight.remove(key));
        }
    }

    private Key key(long epoch, long id) {
        return new Key(epoch, id / idsOfBlock);
    }

    private Block.Ids ids(Key key) {
        return Block.Ids.from(key.number() * idsOfBlock, idsOfBlock);
    }

    private static int slot(Key key) {
        return (int) key.number() & RECENT - 1;
    }
}
