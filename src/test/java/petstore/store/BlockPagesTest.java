package petstore.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue.Page;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.json.PetJson;
import petstore.store.postgres.Postgres;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Pages of blocks of any size, compared with a model of the catalogue, while animals are added, ids are reserved, and animals are changed
/// and deleted by SQL.
@Tag("both-stores")
class BlockPagesTest {

    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SIZES = 4;
    private static final int PAGES = Integer.getInteger("petstore.pages", 5_000) / SIZES;
    private static final int READERS = 3;
    private static final int WRITES = 150;
    private static final int WRITES_BETWEEN_CHANGES = 37;
    private static final int MOST_OF_GROUP = 30;
    private static final int FARTHEST_GAP = 600;
    /// The time after which no page lacks a change by SQL.
    private static final Duration CHANGES_SHOWN = Duration.ofSeconds(3);
    private static final List<Optional<PetStatus>> STATUSES = Stream
            .concat(Stream.of(Optional.<PetStatus>empty()), Stream.of(PetStatus.values()).map(Optional::of)).toList();
    private static final List<Integer> LIMITS = List.of(1, 1, 2, 3, 5, 20, 100);
    private static final long[] ENDS = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE};

    /// An animal as it was added.
    ///
    /// @param begunNs the time before its addition began
    private record Animal(Pet pet, long begunNs) {
    }

    /// The animals that differ from those that were added, after a change by SQL; absent for a deleted one.
    private record Change(Map<Long, Optional<Pet>> animals, long begunNs, long doneNs) {
    }

    /// @param acknowledged the greatest id of an addition that was complete before the request
    private record Reading(PetQuery query, Page page, long acknowledged, long begunNs, long doneNs) {
    }

    @TempDir
    private Path folder;

    private final NavigableMap<Long, Animal> animals = new ConcurrentSkipListMap<>();
    private final List<Change> changes = new CopyOnWriteArrayList<>(
            List.of(new Change(Map.of(), System.nanoTime(), System.nanoTime() - CHANGES_SHOWN.toNanos())));
    private final AtomicLong acknowledged = new AtomicLong();
    private final Queue<Reading> readings = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    /// The writes that are due, spread over all requests.
    private final Semaphore due = new Semaphore(0);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 256})
    void equalModelDuringWritesAndChanges(int idsOfBlock) throws Exception {
        System.out.println("BlockPagesTest: -Dpetstore.seed=" + SEED);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Random seeds = new Random(SEED);
        try (SqlStore store = new SqlStore(open(), meters, idsOfBlock);
                ExecutorService threads = Executors.newFixedThreadPool(READERS + 1)) {
            List<Callable<Void>> clients = new ArrayList<>();
            Random ofWriter = new Random(seeds.nextLong());
            clients.add(() -> write(store, ofWriter));
            for (int i = 0; i < READERS; i++) {
                Random random = new Random(seeds.nextLong());
                clients.add(() -> read(store, random));
            }
            for (Future<Void> client : threads.invokeAll(clients)) {
                client.get();
            }
            awaitPageOfBlocks(store, meters);
        }
        assertThat(readings).hasSize(PAGES).allSatisfy(this::check);
    }

    /// The random requests may miss the smallest blocks.
    private static void awaitPageOfBlocks(SqlStore store, SimpleMeterRegistry meters) {
        long first = LongStream.range(0, 3).map(_ -> AbstractCatalogueTest.added(store.catalogue(),
                new NewPet("Rex", 1, Optional.empty())).id()).min().orElseThrow();
        PetQuery query = new PetQuery(1, Optional.empty(), first - 1);
        await("a page of blocks").atMost(PATIENCE).until(() -> {
            var _ = AbstractCatalogueTest.awaited(store.catalogue().list(query));
            return meters.get("petstore.page.cache.requests").tag("result", "hit").counter().count() > 0;
        });
    }

    private Database open() {
        return TestStore.database(folder)
                .<Database>map(uri -> Postgres.forService(uri, SchemaPolicy.AUTO, READERS, Duration.ofMinutes(2),
                        new AtomicBoolean()))
                .orElseGet(() -> Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
                }));
    }

    /// Adds animals, reserves ids and changes animals.
    private Void write(SqlStore store, Random random) {
        for (int write = 1; write <= WRITES; write++) {
            due.acquireUninterruptibly();
            int roll = random.nextInt(10);
            if (write % WRITES_BETWEEN_CHANGES == 0) {
                change(random);
            } else if (roll == 0) {
                addBehindGap(store, random);
            } else {
                add(store, random, roll < 8 ? 1 : 1 + random.nextInt(MOST_OF_GROUP));
            }
        }
        return null;
    }

    private static NewPet pet(Random random) {
        return new NewPet("Ünï \"" + random.nextInt(), random.nextInt(), STATUSES.get(random.nextInt(3)));
    }

    private void add(SqlStore store, Random random, int count) {
        long beganNs = System.nanoTime();
        List<NewPet> pets = IntStream.range(0, count).mapToObj(_ -> pet(random)).toList();
        pets.stream().map(pet -> store.catalogue().add(pet, Optional.empty())).toList().stream()
                .map(added -> AbstractCatalogueTest.awaited(added).pet())
                .forEach(pet -> animals.put(pet.id(), new Animal(pet, beganNs)));
        acknowledge();
    }

    /// Adds animals with their ids, as `import --keep-ids`.
    private void addBehindGap(SqlStore store, Random random) {
        long beganNs = System.nanoTime();
        long id = store.catalogue().lastId();
        List<Pet> pets = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            id += 1 + random.nextInt(random.nextBoolean() ? 3 : FARTHEST_GAP);
            pets.add(pet(random).withId(id));
        }
        store.catalogue().addWithIds(Collections.singleton(pets).iterator());
        pets.forEach(pet -> animals.put(pet.id(), new Animal(pet, beganNs)));
        acknowledge();
    }

    private void acknowledge() {
        acknowledged.set(animals.lastKey());
    }

    /// Changes or deletes animals in one transaction.
    private void change(Random random) {
        Map<Long, Optional<Pet>> after = new HashMap<>(changes.getLast().animals());
        List<Long> changed = animals.keySet().stream()
                .filter(id -> random.nextInt(3) == 0 && after.getOrDefault(id, Optional.of(pet(id))).isPresent())
                .toList();
        boolean delete = random.nextBoolean();
        for (long id : changed) {
            Pet before = after.getOrDefault(id, Optional.of(pet(id))).orElseThrow();
            after.put(id, delete
                    ? Optional.empty()
                    : Optional.of(new Pet(id, "changed", before.categoryId(), Optional.of(PetStatus.SOLD))));
        }
        String where = " WHERE id IN (0" + changed.stream().map(id -> ", " + id).reduce("", String::concat) + ")";
        long beganNs = System.nanoTime();
        // Before the change, because its end is not known exactly.
        changes.add(new Change(after, beganNs, Long.MAX_VALUE));
        TestStore.execute(folder, (delete ? "DELETE FROM pet" : "UPDATE pet SET name = 'changed', status = 'sold'")
                + where);
        changes.set(changes.size() - 1, new Change(after, beganNs, System.nanoTime()));
    }

    private Pet pet(long id) {
        return Objects.requireNonNull(animals.get(id)).pet();
    }

    private Void read(SqlStore store, Random random) {
        for (long i = requests.getAndIncrement(); i < PAGES; i = requests.getAndIncrement()) {
            due.release((int) ((i + 1) * WRITES / PAGES - i * WRITES / PAGES));
            long last = acknowledged.get();
            long after = switch (random.nextInt(8)) {
                case 0 -> ENDS[random.nextInt(ENDS.length)];
                case 1, 2 -> Math.max(0, last - random.nextInt(30));
                // Often the same, so that even the smallest blocks are in memory.
                case 3, 4, 5 -> last / 200 * 100;
                default -> (long) (random.nextDouble() * last);
            };
            PetQuery query = new PetQuery(LIMITS.get(random.nextInt(LIMITS.size())), STATUSES.get(random.nextInt(4)),
                    after);
            long beganNs = System.nanoTime();
            Page page = AbstractCatalogueTest.awaited(store.catalogue().list(query));
            readings.add(new Reading(query, page, last, beganNs, System.nanoTime()));
        }
        return null;
    }

    /// Asserts that the page is that of the catalogue after one of the changes that may be seen, at a greatest id between the one
    /// acknowledged before the request and the one begun before the response.
    private void check(Reading reading) {
        int first = (int) changes.stream()
                .filter(change -> change.doneNs() + CHANGES_SHOWN.toNanos() - reading.begunNs() < 0).count();
        int last = (int) changes.stream().filter(change -> change.begunNs() - reading.doneNs() < 0).count();
        assertThat(changes.subList(Math.min(Math.max(0, first - 1), last - 1), last)).as("%s: %s", reading,
                new String(reading.page().json(), StandardCharsets.UTF_8))
                .anyMatch(change -> isPage(reading, change.animals()));
    }

    private boolean isPage(Reading reading, Map<Long, Optional<Pet>> changed) {
        PetQuery query = reading.query();
        List<Pet> matches = animals.tailMap(query.after(), false).values().stream()
                .filter(animal -> animal.begunNs() - reading.doneNs() < 0)
                .flatMap(animal -> changed.getOrDefault(animal.pet().id(), Optional.of(animal.pet())).stream())
                .filter(pet -> query.status().isEmpty() || query.status().equals(pet.status()))
                .limit(query.limit() + 1L).toList();
        int shown = count(reading.page().json());
        boolean hasNext = reading.page().next().isPresent();
        if (shown > Math.min(query.limit(), matches.size())
                || !new String(PetJson.write(matches.subList(0, shown)), StandardCharsets.UTF_8)
                        .equals(new String(reading.page().json(), StandardCharsets.UTF_8))) {
            return false;
        }
        return hasNext
                ? shown == query.limit() && matches.size() > shown
                        && reading.page().next().equals(Optional.of(query.continuedAfter(matches.get(shown - 1).id())))
                : matches.size() == shown || matches.get(shown).id() > reading.acknowledged();
    }

    private static int count(byte[] json) {
        return new String(json, StandardCharsets.UTF_8).split("\\{\"id\":", -1).length - 1;
    }
}
