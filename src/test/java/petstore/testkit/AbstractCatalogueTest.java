package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue;
import petstore.Catalogue.Added;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// Tests of a [Catalogue]; each store has a subclass.
public abstract class AbstractCatalogueTest {

    private static final ObjectMapper JACKSON = new ObjectMapper();
    private static final PetQuery FIRST_PAGE = new PetQuery(PetQuery.DEFAULT_LIMIT, Optional.empty(), 0);

    /// More animals than a group has.
    private static final int MANY = 5_000;

    private static final NewPet REX = new NewPet("Rex", 7, Optional.of(PetStatus.AVAILABLE));
    private static final Duration RETENTION = Duration.ofHours(24);
    private static final Duration SOON = Duration.ofSeconds(3);
    /// Longer than a test.
    private static final Duration MOMENT = Duration.ofHours(1);

    /// Returns a catalogue that is empty when a test begins.
    protected abstract Catalogue catalogue();

    /// Closes the store and opens it again.
    protected abstract void reopen();

    /// Returns the number of requests with an idempotency key that the store has recorded.
    protected abstract long recordedRequests();

    /// Runs a statement without the program, like an operator.
    protected abstract void execute(String sql);

    @Test
    void assignsConsecutiveIdsFromOne() {
        assertThat(add("a").id()).isEqualTo(1);
        assertThat(add("b").id()).isEqualTo(2);
        reopen();
        assertThat(add("c").id()).isEqualTo(3);
    }

    @Test
    void returnsAddedAnimal() {
        Pet pet = add(new NewPet("Whiskers", 7, Optional.of(PetStatus.PENDING)));
        assertThat(pet).isEqualTo(new Pet(1, "Whiskers", 7, Optional.of(PetStatus.PENDING)));
        assertThat(find(1)).contains(pet);
        assertThat(list(FIRST_PAGE)).isEqualTo(new Page(List.of(pet), Optional.empty()));
        reopen();
        assertThat(find(1)).contains(pet);
    }

    @Test
    void storesNamesUnchanged() {
        List<String> names = List.of("Ünï 犬 🐕\u200D🦺", "  both ends  ", "case", "CASE", "tab\tnew\nline", "\u0001",
                "e\u0301", "\u00E9", "'; DROP TABLE pet; --", "🐕".repeat(NewPet.MAX_NAME_LENGTH), "\uFFFF\uFFFE");
        for (String name : names) {
            long id = add(name).id();
            assertThat(find(id)).map(pet -> pet.name()).contains(name);
        }
    }

    @Test
    void storesFullRangeOfCategoryIds() {
        for (long categoryId : new long[]{Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            long id = add(new NewPet("Rex", categoryId, Optional.empty())).id();
            assertThat(find(id)).map(Pet::categoryId).contains(categoryId);
        }
    }

    @Test
    void findsNothingForUnknownId() {
        add("Rex");
        for (long id : new long[]{Long.MIN_VALUE, -1, 0, 2, Long.MAX_VALUE}) {
            assertThat(find(id)).isEmpty();
        }
    }

    /// A cache of any power-of-two size would put many of these ids into the same slot. The second round would read from it.
    @Test
    void findsEachOfManyAnimals() {
        List<Pet> pets = IntStream.range(0, 41).mapToObj(bit -> new Pet(1 + (1L << bit), "pet" + bit, bit,
                Optional.empty())).toList();
        catalogue().addWithIds(List.of(pets).iterator());
        for (int i = 0; i < 2; i++) {
            assertThat(pets).allSatisfy(pet -> assertThat(find(pet.id())).contains(pet));
        }
    }

    @Test
    void returnsEmptyPageIfCatalogueIsEmpty() {
        assertThat(list(FIRST_PAGE)).isEqualTo(new Page(List.of(), Optional.empty()));
    }

    @Test
    void limitsPageAndReturnsNextQuery() {
        IntStream.range(0, 5).forEach(i -> add("pet" + i));
        PetQuery query = new PetQuery(2, Optional.empty(), 0);
        Page page = list(query);
        assertThat(page.pets()).extracting(Pet::id).containsExactly(1L, 2L);
        assertThat(page.next()).contains(query.continuedAfter(2));
        Page last = list(query.continuedAfter(3));
        assertThat(last.pets()).extracting(Pet::id).containsExactly(4L, 5L);
        assertThat(last.next()).isEmpty();
    }

    @Test
    void filtersByStatusOnEveryPage() {
        for (int i = 0; i < 4; i++) {
            for (PetStatus status : PetStatus.values()) {
                add(new NewPet("Rex", i, Optional.of(status)));
            }
            add("without status");
        }
        PetQuery query = new PetQuery(3, Optional.of(PetStatus.SOLD), 0);
        Page page = list(query);
        assertThat(page.pets()).extracting(Pet::id).containsExactly(3L, 7L, 11L);
        assertThat(page.pets()).extracting(Pet::status).containsOnly(query.status());
        assertThat(list(page.next().orElseThrow()).pets()).extracting(Pet::id).containsExactly(15L);
    }

    @Test
    void acceptsAnyNumberAsAfter() {
        add("Rex");
        assertThat(list(FIRST_PAGE.continuedAfter(Long.MIN_VALUE)).pets()).hasSize(1);
        assertThat(list(FIRST_PAGE.continuedAfter(Long.MAX_VALUE)).pets()).isEmpty();
    }

    @Test
    void addsAnimalsFromConcurrentThreads() throws Exception {
        int count = 400;
        try (ExecutorService threads = Executors.newFixedThreadPool(32)) {
            List<Future<Boolean>> added = IntStream.range(0, count).mapToObj(i -> threads.submit(() -> {
                Pet pet = add("pet" + i);
                return find(pet.id()).equals(Optional.of(pet));
            })).toList();
            for (Future<Boolean> isFound : added) {
                assertThat(isFound.get()).isTrue();
            }
        }
        List<Long> ids = LongStream.iterate(0, after -> after < count, after -> after + 100)
                .mapToObj(after -> list(new PetQuery(100, Optional.empty(), after)).pets())
                .flatMap(List::stream).map(Pet::id).toList();
        assertThat(ids).containsExactlyElementsOf(LongStream.rangeClosed(1, count).boxed().toList());
    }

    @Test
    void addsAnimalOncePerIdempotencyKey() {
        IdempotencyKey key = key("a", "one");
        Added first = addOnce(REX, key);
        assertThat(first).isEqualTo(new Added(REX.withId(1), false));
        assertThat(addOnce(REX, key)).isEqualTo(new Added(first.pet(), true));
        reopen();
        age(RETENTION.minus(MOMENT));
        assertThat(addOnce(REX, key)).isEqualTo(new Added(first.pet(), true));
        assertThat(catalogue().count()).isEqualTo(1);
    }

    @Test
    void distinguishesIdempotencyKeysByOwnerAndExactText() {
        addOnce(REX, key("a", "one"));
        assertThat(addOnce(REX, key("b", "one")).replayed()).isFalse();
        assertThat(addOnce(REX, key("a", "two")).replayed()).isFalse();
        assertThat(addOnce(REX, key("a", "One")).replayed()).isFalse();
        assertThat(catalogue().count()).isEqualTo(4);
    }

    @Test
    void refusesIdempotencyKeyOfAnotherRequest() {
        addOnce(REX, key("a", "one"));
        IdempotencyKey other = new IdempotencyKey(new IdempotencyKey.Name("a", "createPet", "one"), "other",
                RETENTION);
        assertThatThrownBy(() -> addOnce(REX, other)).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.IDEMPOTENCY_KEY_REUSED));
        assertThat(catalogue().count()).isEqualTo(1);
    }

    @Test
    void findsAddedAnimalByIdempotencyKey() {
        IdempotencyKey key = key("a", "one");
        assertThat(findAdded(key)).isEmpty();
        Pet pet = addOnce(REX, key).pet();
        assertThat(findAdded(key)).contains(new Added(pet, true));
        assertThat(findAdded(key("b", "one"))).isEmpty();
        IdempotencyKey other = new IdempotencyKey(key.name(), "other", RETENTION);
        assertThatThrownBy(() -> findAdded(other)).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.IDEMPOTENCY_KEY_REUSED));
        execute("DELETE FROM pet");
        assertThat(findAdded(key)).isEmpty();
        addOnce(REX, key);
        age(RETENTION);
        assertThat(findAdded(key)).isEmpty();
        assertThat(recordedRequests()).as("it only reads").isEqualTo(1);
    }

    @Test
    void forgetsIdempotencyKeyAfterRetention() {
        addOnce(REX, key("a", "one"));
        age(RETENTION);
        Added later = addOnce(REX, key("a", "one"));
        assertThat(later).isEqualTo(new Added(REX.withId(2), false));
        assertThat(addOnce(REX, key("a", "one")).pet()).isEqualTo(later.pet());
    }

    @Test
    void purgesExpiredRequestRecords() {
        for (int i = 0; i < 10; i++) {
            addOnce(REX, key("a", "key" + i));
        }
        age(RETENTION.minus(MOMENT));
        addOnce(REX, key("a", "later"));
        assertThat(recordedRequests()).isEqualTo(11);
        age(MOMENT);
        for (int i = 0; i < 3; i++) {
            addOnce(REX, key("a", "new" + i));
        }
        assertThat(recordedRequests()).isEqualTo(4);
        assertThat(addOnce(REX, key("a", "later")).replayed()).isTrue();
    }

    /// Eight records have timestamps in the future: as many as two purges examine.
    @ParameterizedTest
    @ValueSource(longs = {1, 400})
    void purgesExpiredRecordsDespiteFutureTimestamps(long daysAhead) {
        for (int i = 0; i < 8; i++) {
            addOnce(REX, key("a", "ahead" + i));
        }
        age(Duration.ofDays(-daysAhead));
        for (int i = 0; i < 100; i++) {
            addOnce(REX, key("a", "key" + i));
        }
        age(RETENTION.minus(MOMENT));
        addOnce(REX, key("a", "ahead0"));
        assertThat(addOnce(REX, key("a", "ahead7")).replayed()).as("kept for the full retention").isTrue();
        age(RETENTION.plus(MOMENT));
        for (int i = 0; i < 30; i++) {
            addOnce(REX, key("a", "new" + i));
        }
        assertThat(recordedRequests()).isEqualTo(30);
        NewPet tom = new NewPet("Tom", 7, Optional.empty());
        IdempotencyKey reused = new IdempotencyKey(new IdempotencyKey.Name("a", "createPet", "ahead7"), "other",
                RETENTION);
        assertThat(addOnce(tom, reused).replayed()).isFalse();
    }

    @Test
    void keepsRecordsForFullRetentionDespiteClockThatIsBehindForAWhile() {
        addOnce(REX, key("a", "before"));
        Duration behind = RETENTION.dividedBy(2);
        age(behind.negated());
        for (int i = 0; i < 10; i++) {
            addOnce(REX, key("a", "key" + i));
        }
        age(behind);
        age(RETENTION.minus(MOMENT));
        assertThat(addOnce(REX, key("a", "before")).replayed()).isTrue();
    }

    /// Makes all records older.
    private void age(Duration time) {
        execute("UPDATE idempotency SET received_ms = received_ms - " + time.toMillis());
    }

    @Test
    void addsAnimalOnceForConcurrentRepeats() throws Exception {
        int keys = 50;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> sent = IntStream.range(0, keys * 8).mapToObj(i -> threads.submit(() -> {
                try {
                    addOnce(REX, key("a", "key" + i % keys));
                    return true;
                } catch (Failure e) {
                    return e.kind() == Failure.Kind.REQUEST_IN_PROGRESS;
                }
            })).toList();
            for (Future<Boolean> isAddedOrInProgress : sent) {
                assertThat(isAddedOrInProgress.get()).isTrue();
            }
        }
        assertThat(catalogue().count()).isEqualTo(keys);
    }

    private static IdempotencyKey key(String owner, String key) {
        return new IdempotencyKey(new IdempotencyKey.Name(owner, "createPet", key), "fingerprint", RETENTION);
    }

    @Test
    void retryAddsAnimalAgainIfFirstWasDeletedBySql() {
        long first = addOnce(REX, key("a", "one")).pet().id();
        execute("DELETE FROM pet WHERE id = " + first);
        for (boolean replayed : new boolean[]{false, true}) {
            assertThat(addOnce(REX, key("a", "one"))).isEqualTo(new Added(REX.withId(first + 1), replayed));
        }
    }

    @Test
    void retryReturnsAnimalAsChangedBySql() {
        long id = addOnce(REX, key("a", "one")).pet().id();
        execute("UPDATE pet SET name = 'Tom', status = NULL WHERE id = " + id);
        assertThat(addOnce(REX, key("a", "one")))
                .isEqualTo(new Added(new Pet(id, "Tom", REX.categoryId(), Optional.empty()), true));
    }

    /// The API refuses such a name, SQL does not.
    @Test
    void showsEmptyNameGivenBySql() {
        long id = add("Rex").id();
        execute("UPDATE pet SET name = '' WHERE id = " + id);
        assertThat(awaited(catalogue().find(id))).map(Pet::name).contains("");
        assertThat(list(catalogue(), new PetQuery(1, Optional.empty(), 0)).pets()).extracting(Pet::name)
                .containsExactly("");
        List<String> names = new ArrayList<>();
        catalogue().forEachGroup(group -> group.forEach(pet -> names.add(pet.name())));
        assertThat(names).containsExactly("");
    }

    @Test
    void everyChangeBySqlBeginsNewEpoch() {
        IntStream.range(0, 3).forEach(i -> add("pet" + i));
        CatalogueVersion before = awaited(catalogue().version());
        for (String sql : List.of("UPDATE pet SET name = 'Tom' WHERE id = 1", "DELETE FROM pet WHERE id = 2",
                "DELETE FROM pet")) {
            execute(sql);
            CatalogueVersion known = before;
            before = await(sql).atMost(SOON).until(() -> awaited(catalogue().version()),
                    now -> now.epoch() > known.epoch() && now.lastId() == known.lastId());
        }
        add("next");
        CatalogueVersion added = new CatalogueVersion(before.epoch(), 4);
        assertThat(awaited(catalogue().version())).isEqualTo(added);
    }

    @Test
    void readsGroupsFromOneSnapshot() {
        catalogue().addAll(IntStream.range(0, MANY).mapToObj(i -> new NewPet("pet" + i, i, Optional.empty())).toList());
        List<Long> seen = new ArrayList<>();
        catalogue().forEachGroup(group -> {
            add("later");
            group.forEach(pet -> seen.add(pet.id()));
        });
        assertThat(seen).containsExactlyElementsOf(LongStream.rangeClosed(1, MANY).boxed().toList());
        assertThat(catalogue().count()).isGreaterThan(MANY + 1);
    }

    @Test
    void readsGroupsOfUnchangedAnimals() {
        List<Pet> pets = List.of(new Pet(1, ",", Long.MIN_VALUE, Optional.empty()),
                new Pet(2, "a,b\n\"c\"", -1, Optional.of(PetStatus.SOLD)),
                new Pet(1L << 40, "🐈".repeat(255), 0, Optional.of(PetStatus.AVAILABLE)),
                new Pet(Long.MAX_VALUE, " ,,", Long.MAX_VALUE, Optional.empty()));
        catalogue().addWithIds(List.of(pets).iterator());
        List<Pet> seen = new ArrayList<>();
        catalogue().forEachGroup(group -> group.forEach(seen::add));
        assertThat(seen).isEqualTo(pets);
    }

    @Test
    void addsAllInOrder() {
        add("first");
        catalogue().addAll(List.of());
        catalogue().addAll(List.of(new NewPet("a", 1, Optional.empty()), new NewPet("b", 2, Optional.empty())));
        assertThat(list(FIRST_PAGE).pets()).extracting(Pet::id).containsExactly(1L, 2L, 3L);
        assertThat(list(FIRST_PAGE).pets()).extracting(pet -> pet.name()).containsExactly("first", "a", "b");
    }

    @Test
    void addsAnimalsWithTheirIds() {
        add("first");
        Pet near = new Pet(5, "near", 1, Optional.empty());
        Pet far = new Pet(1_000_000_000_000L, "far", 1, Optional.of(PetStatus.SOLD));
        catalogue().addWithIds(List.of(List.of(near), List.of(far)).iterator());
        assertThat(find(far.id())).contains(far);
        assertThat(find(5)).contains(near);
        assertThat(catalogue().lastId()).isEqualTo(far.id());
        reopen();
        assertThat(add("next").id()).isEqualTo(far.id() + 1);
    }

    /// Id 2 is not used, but it lies below the last id.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 9})
    void refusesIdsNotAboveLastId(long id) {
        catalogue().addWithIds(List.of(List.of(new Pet(1, "first", 1, Optional.empty()),
                new Pet(9, "ninth", 1, Optional.empty()))).iterator());
        List<Pet> pets = List.of(new Pet(id, "low", 1, Optional.empty()), new Pet(20, "new", 1, Optional.empty()));
        assertThatThrownBy(() -> catalogue().addWithIds(List.of(pets).iterator()))
                .isInstanceOfSatisfying(Failure.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(Failure.Kind.INVALID_REQUEST);
                    assertThat(failure).hasMessage(
                            "id " + id + " does not lie above 9, the greatest id so far; sort the file by id");
                });
        assertThat(catalogue().count()).isEqualTo(2);
        assertThat(add("next").id()).isEqualTo(10);
    }

    @Test
    void addsNothingIfLaterGroupFails() {
        Iterator<List<Pet>> failing = Stream.of(1L, 2L).map(id -> {
            if (id == 2) {
                throw new IllegalStateException("interrupted");
            }
            return List.of(new Pet(id, "Rex", 1, Optional.empty()));
        }).iterator();
        assertThatThrownBy(() -> catalogue().addWithIds(failing)).hasMessage("interrupted");
        assertThat(catalogue().count()).isZero();
        assertThat(catalogue().lastId()).isZero();
        assertThat(add("next").id()).isEqualTo(1);
    }

    private Pet add(String name) {
        return add(new NewPet(name, 7, Optional.empty()));
    }

    private Pet add(NewPet pet) {
        return added(catalogue(), pet);
    }

    private Optional<Pet> find(long id) {
        return awaited(catalogue().find(id));
    }

    private Page list(PetQuery query) {
        return list(catalogue(), query);
    }

    /// A page whose animals are read from its JSON.
    public record Page(List<Pet> pets, Optional<PetQuery> next) {
    }

    public static Page list(Catalogue catalogue, PetQuery query) {
        Catalogue.Page page = awaited(catalogue.list(query));
        return new Page(pets(page.json()), page.next());
    }

    public static List<Pet> pets(byte[] json) {
        try {
            return JACKSON.readTree(json).valueStream().map(pet -> new Pet(pet.get("id").longValue(),
                    pet.get("name").textValue(), pet.get("categoryId").longValue(),
                    Optional.ofNullable(pet.get("status")).flatMap(status -> PetStatus.find(status.textValue()))))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<Added> findAdded(IdempotencyKey key) {
        return awaited(catalogue().findAdded(key));
    }

    private Added addOnce(NewPet pet, IdempotencyKey key) {
        return awaited(catalogue().add(pet, Optional.of(key)));
    }

    /// Adds an animal without a key.
    public static CompletableFuture<Pet> adding(Catalogue catalogue, NewPet pet) {
        return catalogue.add(pet, Optional.empty()).thenApply(Added::pet);
    }

    /// Adds an animal without a key, and waits for it.
    public static Pet added(Catalogue catalogue, NewPet pet) {
        return awaited(adding(catalogue, pet));
    }

    /// Waits for a future. Returns its result, or throws its [Failure].
    public static <T> T awaited(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof Failure failure ? failure : e;
        }
    }
}
