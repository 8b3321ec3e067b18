package petstore.store.block;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.json.PetJson;

import static org.assertj.core.api.Assertions.assertThat;

class BlockCacheTest {

    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int REQUESTS = Integer.getInteger("tests.block.requests", 5_000);

    /// A catalogue in memory that counts its reads.
    private static final class Model implements BlockCache.Source {

        private final NavigableMap<Long, Pet> pets = new TreeMap<>();
        private long lastId;
        private long changes;
        private int pages;
        private final List<Block.Ids> blocks = new ArrayList<>();

        void add(long id, Optional<PetStatus> status) {
            pets.put(id, new Pet(id, "Ünï \"" + id, id, status));
            lastId = id;
        }

        Page page(PetQuery query) {
            List<Pet> matches = pets.tailMap(query.after(), false).values().stream()
                    .filter(pet -> query.status().isEmpty() || pet.status().equals(query.status()))
                    .limit(query.limit() + 1L).toList();
            List<Pet> shown = matches.stream().limit(query.limit()).toList();
            return new Page(PetJson.write(shown), matches.size() > shown.size()
                    ? Optional.of(query.continuedAfter(shown.getLast().id()))
                    : Optional.empty());
        }

        @Override
        public CompletableFuture<Page> readPage(PetQuery query) {
            pages++;
            return CompletableFuture.completedFuture(page(query));
        }

        @Override
        public CompletableFuture<Block> readBlock(Block.Ids ids) {
            blocks.add(ids);
            return CompletableFuture.completedFuture(new Block(ids, new CatalogueVersion(changes, lastId),
                    List.copyOf(pets.subMap(ids.first(), true, ids.last(), true).values())));
        }

        @Override
        public Optional<Long> findEpoch() {
            return Optional.of(changes);
        }

        @Override
        public Optional<CatalogueVersion> findVersion() {
            return Optional.of(new CatalogueVersion(changes, lastId));
        }
    }

    private final Model model = new Model();

    private Page list(BlockCache cache, PetQuery query) {
        Page page = cache.list(query, model.changes).join();
        Page expected = model.page(query);
        assertThat(new String(page.json(), StandardCharsets.UTF_8))
                .isEqualTo(new String(expected.json(), StandardCharsets.UTF_8));
        assertThat(page.next()).isEqualTo(expected.next());
        return page;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 256})
    void returnsPagesOfModel(int idsOfBlock) {
        System.out.println("BlockCacheTest: -Dpetstore.seed=" + SEED);
        Random random = new Random(SEED);
        BlockCache cache = new BlockCache(model, idsOfBlock);
        List<Optional<PetStatus>> statuses = List.of(Optional.empty(), Optional.of(PetStatus.AVAILABLE),
                Optional.of(PetStatus.PENDING), Optional.of(PetStatus.SOLD));
        long[] ends = {Long.MIN_VALUE, -1, 0, 1_000_000_000_000L, Long.MAX_VALUE - 1, Long.MAX_VALUE};
        for (int i = 0; i < REQUESTS; i++) {
            int roll = random.nextInt(200);
            if (roll == 0) {
                model.lastId += random.nextInt(300);
            } else if (roll == 1) {
                var _ = model.pets.remove(1 + (long) (random.nextDouble() * model.lastId));
                model.changes++;
            } else if (roll < 20) {
                model.add(model.lastId + 1 + random.nextInt(2), statuses.get(random.nextInt(3)));
            } else {
                long after = random.nextInt(10) == 0
                        ? ends[random.nextInt(ends.length)]
                        : (long) (random.nextDouble() * model.lastId);
                var _ = list(cache, new PetQuery(1 + random.nextInt(30), statuses.get(random.nextInt(4)), after));
            }
        }
        if (idsOfBlock == BlockCache.IDS) {
            assertThat(model.pages).isLessThan(REQUESTS / 4 * 3);
        }
    }

    @Test
    void readsNoBlockForWalk() {
        for (long id = 1; id <= 2_000; id++) {
            model.add(id, Optional.empty());
        }
        BlockCache cache = new BlockCache(model, BlockCache.IDS);
        Optional<PetQuery> next = Optional.of(new PetQuery(20, Optional.empty(), 0));
        while (next.isPresent()) {
            next = list(cache, next.get()).next();
        }
        assertThat(model.blocks).isEmpty();
        assertThat(model.pages).isEqualTo(100);
        var _ = list(cache, new PetQuery(20, Optional.empty(), 300));
        var _ = list(cache, new PetQuery(20, Optional.empty(), 400));
        assertThat(model.blocks).containsExactly(new Block.Ids(256, 511));
        assertThat(model.pages).isEqualTo(100);
    }

    @Test
    void findsIdsFarApart() {
        model.add(5, Optional.empty());
        model.add(1_000_000_000_000L, Optional.empty());
        BlockCache cache = new BlockCache(model, BlockCache.IDS);
        for (int i = 0; i < 5; i++) {
            for (long after : new long[]{0, 4, 5, 999_999_999_999L, 1_000_000_000_000L}) {
                var _ = list(cache, new PetQuery(1, Optional.empty(), after));
            }
        }
        assertThat(model.blocks).hasSizeLessThan(10);
    }
}
