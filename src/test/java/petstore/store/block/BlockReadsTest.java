package petstore.store.block;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.Pet;
import petstore.PetQuery;
import petstore.json.PetJson;
import petstore.memory.SharedMemory;

import static org.assertj.core.api.Assertions.assertThat;

/// The reads of a catalogue that is larger than the memory for its blocks.
class BlockReadsTest {

    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int ANIMALS = Integer.getInteger("petstore.animals", 100_000);
    private static final long MEMORY = 1024L * 1024;
    /// The animals of 30 blocks, which take three quarters of the memory.
    private static final int HOT = 30 * BlockCache.IDS;
    private static final int MANY = 5 * HOT;
    /// The cost of reading a block, in pages.
    private static final int PAGES_OF_BLOCK = 5;

    /// A catalogue without gaps. It adds up the cost of its reads.
    private static final class Numbers implements BlockCache.Source {

        private long cost;

        private static List<Pet> pets(long first, long last) {
            return LongStream.rangeClosed(first, Math.min(last, ANIMALS))
                    .mapToObj(id -> new Pet(id, "an animal with a name", id, Optional.empty())).toList();
        }

        @Override
        public CompletableFuture<Page> readPage(PetQuery query) {
            cost++;
            long last = query.after() + query.limit();
            return CompletableFuture.completedFuture(new Page(PetJson.write(pets(query.after() + 1, last)),
                    last < ANIMALS ? Optional.of(query.continuedAfter(last)) : Optional.empty()));
        }

        @Override
        public CompletableFuture<Block> readBlock(Block.Ids ids) {
            cost += PAGES_OF_BLOCK;
            return CompletableFuture.completedFuture(new Block(ids, new CatalogueVersion(0, ANIMALS),
                    pets(Math.max(1, ids.first()), ids.last())));
        }

        @Override
        public Optional<Long> findEpoch() {
            return Optional.of(0L);
        }

        @Override
        public Optional<CatalogueVersion> findVersion() {
            return Optional.of(new CatalogueVersion(0, ANIMALS));
        }
    }

    private final Numbers store = new Numbers();
    private final BlockCache cache = new BlockCache(store, new SharedMemory(new SimpleMeterRegistry(), MEMORY),
            BlockCache.IDS);
    private final Random random = new Random(SEED);

    /// Returns the cost of a page.
    private long cost(PetQuery query) {
        long before = store.cost;
        var _ = cache.list(query).join();
        return store.cost - before;
    }

    private long costOfRandomPages(int pages, int firstId, int ids) {
        long cost = 0;
        for (int i = 0; i < pages; i++) {
            cost += cost(new PetQuery(20, Optional.empty(), firstId + random.nextInt(ids)));
        }
        return cost;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 100})
    void walkCostsLittleAndLeavesHotBlocks(int limit) {
        System.out.println("BlockReadsTest: -Dpetstore.seed=" + SEED);
        var _ = costOfRandomPages(MANY, 0, HOT);
        long pages = 0;
        long ofWalk = 0;
        long ofHot = 0;
        for (long after = 0; after < ANIMALS; after += limit) {
            pages++;
            ofWalk += cost(new PetQuery(limit, Optional.empty(), after));
            ofHot += costOfRandomPages(1, 0, HOT);
        }
        assertThat((double) ofWalk / pages).as("cost of a page of the walk").isLessThan(1.1);
        assertThat((double) ofHot / pages).as("cost of a page of hot blocks").isLessThan(0.05);
    }

    @Test
    void randomPagesOfLargeCatalogueCostLittleMore() {
        var _ = costOfRandomPages(MANY, 0, ANIMALS - 100);
        assertThat((double) costOfRandomPages(MANY, 0, ANIMALS - 100) / MANY).isLessThan(1.1);
    }

    @Test
    void memoryFollowsTheRequests() {
        var _ = costOfRandomPages(MANY, 0, HOT);
        assertThat((double) costOfRandomPages(MANY, 0, HOT) / MANY).isLessThan(0.05);
        var _ = costOfRandomPages(MANY, ANIMALS / 2, HOT);
        assertThat((double) costOfRandomPages(MANY, ANIMALS / 2, HOT) / MANY).isLessThan(0.1);
    }
}
