package petstore.store.block;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.json.PetJson;
import petstore.memory.SharedMemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BlockCacheTest {

    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int PAGES = Integer.getInteger("petstore.pages", 5_000);
    private static final int THREADS = 8;
    private static final PetQuery FIRST = new PetQuery(20, Optional.empty(), 0);

    /// A catalogue in memory that counts its reads.
    private static class Model implements BlockCache.Source {

        final NavigableMap<Long, Pet> pets = new TreeMap<>();
        long lastId;
        long epoch;
        long changes;
        /// The greatest id that the service knows, if it does not know the latest yet.
        OptionalLong knownId = OptionalLong.empty();
        int pages;
        final List<Block.Ids> blocks = new ArrayList<>();
        /// Runs after the snapshot of a block, before the block is there.
        Optional<Runnable> afterBlock = Optional.empty();

        void add(long id, Optional<PetStatus> status) {
            pets.put(id, new Pet(id, "Ünï \"" + id, id, status));
            lastId = id;
        }

        void addAll(int count) {
            LongStream.rangeClosed(1, count).forEach(id -> add(id, Optional.empty()));
        }

        /// Changes an animal by SQL; nobody knows it yet.
        void rename(long id) {
            pets.put(id, new Pet(id, "changed", id, Optional.empty()));
            changes++;
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
            Block block = new Block(ids, new CatalogueVersion(changes, lastId),
                    List.copyOf(pets.subMap(ids.first(), true, ids.last(), true).values()));
            Optional<Runnable> next = afterBlock;
            afterBlock = Optional.empty();
            next.ifPresent(Runnable::run);
            return CompletableFuture.completedFuture(block);
        }

        @Override
        public Optional<Long> findEpoch() {
            return Optional.of(epoch);
        }

        @Override
        public Optional<CatalogueVersion> findVersion() {
            return Optional.of(new CatalogueVersion(epoch, knownId.orElse(lastId)));
        }
    }

    private final Model model = new Model();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SharedMemory memory = new SharedMemory(meters);
    private final BlockCache cache = new BlockCache(model, memory, BlockCache.IDS);

    private Page list(BlockCache of, PetQuery query) {
        Page page = of.list(query).join();
        assertEqual(page, model.page(query));
        return page;
    }

    private static void assertEqual(Page page, Page expected) {
        assertThat(text(page)).isEqualTo(text(expected));
        assertThat(page.next()).isEqualTo(expected.next());
    }

    private static String text(Page page) {
        return new String(page.json(), StandardCharsets.UTF_8);
    }

    private static PetQuery after(long id) {
        return FIRST.continuedAfter(id);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 256})
    void returnsPagesOfModel(int idsOfBlock) {
        System.out.println("BlockCacheTest: -Dpetstore.seed=" + SEED);
        Random random = new Random(SEED);
        BlockCache blocks = new BlockCache(model, memory, idsOfBlock);
        List<Optional<PetStatus>> statuses = List.of(Optional.empty(), Optional.of(PetStatus.AVAILABLE),
                Optional.of(PetStatus.PENDING), Optional.of(PetStatus.SOLD));
        long[] ends = {Long.MIN_VALUE, -1, 0, 1_000_000_000_000L, Long.MAX_VALUE - 1, Long.MAX_VALUE};
        for (int i = 0; i < PAGES; i++) {
            int roll = random.nextInt(200);
            if (roll == 0) {
                model.lastId += random.nextInt(300);
            } else if (roll == 1) {
                var _ = model.pets.remove(1 + (long) (random.nextDouble() * model.lastId));
                model.changes++;
                model.epoch++;
            } else if (roll < 20) {
                model.add(model.lastId + 1 + random.nextInt(2), statuses.get(random.nextInt(3)));
            } else {
                long after = random.nextInt(10) == 0
                        ? ends[random.nextInt(ends.length)]
                        : (long) (random.nextDouble() * model.lastId);
                var _ = list(blocks, new PetQuery(1 + random.nextInt(30), statuses.get(random.nextInt(4)), after));
            }
        }
        if (idsOfBlock == BlockCache.IDS) {
            assertThat(model.pages).isLessThan(PAGES / 4 * 3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 256})
    void returnsAnimalWithGreatestIdOfAll(int idsOfBlock) {
        model.add(Long.MAX_VALUE - 1, Optional.empty());
        model.add(Long.MAX_VALUE, Optional.empty());
        BlockCache blocks = new BlockCache(model, memory, idsOfBlock);
        for (int i = 0; i < 5; i++) {
            for (long last = Long.MAX_VALUE; last > Long.MAX_VALUE - 10; last--) {
                var _ = list(blocks, new PetQuery(1, Optional.empty(), last));
            }
        }
    }

    /// Only a matching animal proves a next page: ids may be reserved, or of animals that were deleted.
    @Test
    void lastPageHasNoNextPageAlthoughLaterIdsAreUsed() {
        model.addAll(20);
        model.lastId = 2_000;
        for (int i = 0; i < 5; i++) {
            assertThat(list(cache, FIRST).next()).isEmpty();
            assertThat(list(cache, after(10)).next()).isEmpty();
        }
    }

    /// The version that the store counts has not changed, but the service knows a later one: the block lacks an animal.
    @Test
    void lastPageIsOfKnownVersion() {
        model.addAll(10);
        for (int i = 0; i < 3; i++) {
            var _ = list(cache, after(i));
        }
        assertThat(model.blocks).hasSize(1);
        int before = model.pages;
        var _ = list(cache, after(3));
        assertThat(model.pages).as("last page of a block").isEqualTo(before);
        model.add(11, Optional.empty());
        var _ = list(cache, after(3));
        assertThat(model.pages).isEqualTo(before + 1);
    }

    @Test
    void usesNoBlockWhoseReadBeganInAnEarlierEpoch() {
        List<CompletableFuture<Block>> reads = new ArrayList<>();
        List<Block> read = new ArrayList<>();
        Model slow = new Model() {
            @Override
            public CompletableFuture<Block> readBlock(Block.Ids ids) {
                read.add(super.readBlock(ids).join());
                reads.add(new CompletableFuture<>());
                return reads.getLast();
            }
        };
        slow.addAll(100);
        BlockCache blocks = new BlockCache(slow, memory, BlockCache.IDS);
        assertThat(blocks.list(FIRST)).isCompleted();
        assertThat(blocks.list(after(1))).isCompleted();
        assertThat(reads).hasSize(1);
        slow.rename(5);
        slow.epoch++;
        for (int i = 0; i < 5; i++) {
            assertEqual(blocks.list(after(i)).join(), slow.page(after(i)));
            reads.get(i % reads.size()).complete(read.get(i % reads.size()));
        }
        assertThat(reads).hasSize(2);
    }

    @Test
    void laterEpochClearsMemory() {
        model.addAll(2_000);
        for (int i = 0; i < 2_000; i++) {
            var _ = list(cache, after(i));
        }
        assertThat(bytes()).isGreaterThan(50_000);
        model.epoch++;
        var _ = list(cache, FIRST);
        assertThat(bytes()).isLessThan(30_000);
    }

    private double bytes() {
        return meters.get("petstore.page.cache.bytes").gauge().value();
    }

    @Test
    void returnsNothingOfServerThatIsLeft() {
        boolean[] left = {false};
        Model failing = new Model() {
            @Override
            public Optional<Long> findEpoch() {
                if (left[0]) {
                    throw new Failure(Failure.Unavailability.NO_PRIMARY, "left");
                }
                return super.findEpoch();
            }
        };
        failing.addAll(100);
        BlockCache blocks = new BlockCache(failing, memory, BlockCache.IDS);
        assertThat(blocks.list(FIRST)).isCompleted();
        assertThat(blocks.list(after(1))).isCompleted();
        assertThat(failing.blocks).hasSize(1);
        left[0] = true;
        assertThatThrownBy(() -> blocks.list(after(2))).as("memory has the page").isInstanceOf(Failure.class);
    }

    /// The service does not know of the change yet. A page may be from before or after it, but not from both.
    @Test
    void joinsNoPageOfTwoSnapshots() {
        model.addAll(600);
        for (int i = 0; i < 3; i++) {
            var _ = list(cache, after(i));
        }
        Page before = model.page(after(250));
        model.rename(254);
        model.rename(258);
        for (int i = 0; i < 3; i++) {
            var _ = list(cache, after(300 + i));
        }
        assertThat(model.blocks).hasSize(2);
        assertThat(text(cache.list(after(250)).join())).isIn(text(before), text(model.page(after(250))));
    }

    /// Another process has added animals of which the service does not know yet.
    @Test
    void endsNoPageBeforeAnimalsThatALaterBlockLacks() {
        model.addAll(100);
        model.knownId = OptionalLong.of(100);
        for (int i = 0; i < 3; i++) {
            var _ = list(cache, after(300));
        }
        assertThat(model.blocks).containsExactly(new Block.Ids(256, 511));
        LongStream.rangeClosed(101, 600).forEach(id -> model.add(id, Optional.empty()));
        for (int i = 0; i < 3; i++) {
            var _ = list(cache, after(i));
        }
        assertThat(model.blocks).hasSize(2);
        var _ = list(cache, new PetQuery(100, Optional.empty(), 200));
    }

    /// In each epoch, a block is requested three times: one page comes from memory, which does not pay for the read.
    @Test
    void readsCostAtMostWhatBlocksSave() {
        int blocks = 100;
        model.addAll(blocks * BlockCache.IDS);
        BlockCache cacheOfThousand = new BlockCache(model, new SharedMemory(new SimpleMeterRegistry(), 25_000_000),
                BlockCache.IDS);
        int requests = 0;
        for (int i = 0; i < 40; i++) {
            model.epoch++;
            for (int block = 0; block < blocks; block++) {
                for (int page = 0; page < 3; page++) {
                    var _ = list(cacheOfThousand,
                            new PetQuery(1, Optional.empty(), (long) block * BlockCache.IDS + 10L * page));
                    requests++;
                }
            }
        }
        assertThat(model.blocks).hasSizeBetween(1_000, 1_000 + requests / 64 + (requests - model.pages) / 5);
    }

    /// Each block is read once, and no request waits for it.
    @Test
    void readsThatMustWaitCostNothing() {
        List<CompletableFuture<Block>> reads = new ArrayList<>();
        Model slow = new Model() {
            @Override
            public CompletableFuture<Block> readBlock(Block.Ids ids) {
                blocks.add(ids);
                reads.add(new CompletableFuture<>());
                return reads.getLast();
            }
        };
        slow.addAll(4 * BlockCache.IDS);
        BlockCache blocks = new BlockCache(slow, memory, BlockCache.IDS);
        for (long after : new long[]{0, 1, 2, 300, 301, 302}) {
            assertThat(blocks.list(after(after))).isCompleted();
        }
        assertThat(slow.blocks).extracting(Block.Ids::first).containsExactly(0L, 256L);
        for (int i = 0; i < 2_000; i++) {
            assertThat(blocks.list(after(600 + i % 2))).isCompleted();
        }
        assertThat(slow.blocks).hasSize(2);
        reads.forEach(read -> read.completeExceptionally(new Failure(Failure.Unavailability.QUEUE_FULL, "busy")));
        for (long after : new long[]{602, 3}) {
            assertThat(blocks.list(after(after))).isCompleted();
        }
        assertThat(slow.blocks).extracting(Block.Ids::first).containsExactly(0L, 256L, 512L, 0L);
    }

    /// Its proof of a next page is in the next block.
    @Test
    void keepsBlocksOfRepeatedPageThatEndsWithABlock() {
        model.addAll(600);
        for (int i = 0; i < 6; i++) {
            var _ = list(cache, after(BlockCache.IDS - 21));
        }
        assertThat(model.blocks).hasSize(2);
        assertThat(model.pages).isEqualTo(4);
    }

    /// Readers of the store complete pages at the same time.
    @Test
    void readsTwoBlocksAtATimeAtMost() throws InterruptedException, ExecutionException {
        Model slow = new Model() {
            @Override
            public synchronized CompletableFuture<Block> readBlock(Block.Ids ids) {
                blocks.add(ids);
                return new CompletableFuture<>();
            }
        };
        slow.addAll(THREADS * BlockCache.IDS);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 0; round < 300; round++) {
                BlockCache blocks = new BlockCache(slow, memory, BlockCache.IDS);
                slow.blocks.clear();
                for (int block = 0; block < THREADS; block++) {
                    assertThat(blocks.list(after((long) block * BlockCache.IDS))).isCompleted();
                }
                CyclicBarrier begin = new CyclicBarrier(THREADS);
                for (Future<Object> page : threads
                        .invokeAll(IntStream.range(0, THREADS).<Callable<Object>>mapToObj(block -> () -> {
                            var _ = begin.await();
                            return blocks.list(after((long) block * BlockCache.IDS + 1)).join();
                        }).toList())) {
                    assertThat(page.get()).isNotNull();
                }
                assertThat(slow.blocks).hasSizeBetween(1, 2);
            }
        }
    }

    @Test
    void readsLastBlockAgainIfAnimalsAreOftenMissing() {
        model.addAll(10);
        for (int i = 0; i < 3; i++) {
            var _ = list(cache, after(i));
        }
        assertThat(model.blocks).hasSize(1);
        LongStream.rangeClosed(11, 200).forEach(id -> model.add(id, Optional.empty()));
        for (int i = 0; i < 100; i++) {
            var _ = list(cache, after(20 + i));
        }
        assertThat(model.blocks).hasSize(2);
        int before = model.pages;
        var _ = list(cache, after(150));
        var _ = list(cache, after(190));
        assertThat(model.pages).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 100})
    void readsNoBlockForWalk(int limit) {
        model.addAll(2_000);
        Optional<PetQuery> next = Optional.of(new PetQuery(limit, Optional.empty(), 0));
        while (next.isPresent()) {
            next = list(cache, next.get()).next();
        }
        assertThat(model.blocks).isEmpty();
        assertThat(model.pages).isEqualTo(2_000 / limit);
        var _ = list(cache, after(300));
        var _ = list(cache, after(400));
        assertThat(model.blocks).containsExactly(new Block.Ids(256, 511));
        assertThat(model.pages).as("the second page comes from the block").isEqualTo(2_000 / limit + 1);
    }

    @Test
    void looksIntoFourBlocksAtMost() {
        model.add(5, Optional.empty());
        model.add(1_000_000_000_000L, Optional.empty());
        for (int i = 0; i < 100; i++) {
            for (long after : new long[]{0, 4, 5, 999_999_999_999L, 1_000_000_000_000L}) {
                var _ = list(cache, new PetQuery(1, Optional.empty(), after));
            }
        }
        assertThat(model.blocks).hasSizeLessThan(10);
    }
}
