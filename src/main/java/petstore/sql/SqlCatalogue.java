package petstore.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.Added;
import petstore.Catalogue;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Page;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.Version;

/// The catalogue in the table `pet`.
final class SqlCatalogue implements Catalogue, AutoCloseable {

    private static final String FIND = PetRow.SELECT + "WHERE id = ?";
    /// Tells every process that animals came under ids of their own.
    static final String PUT_BACK = "UPDATE put_back SET times = times + 1";
    /// Every animal, by ascending id.
    static final String ALL = PetRow.SELECT + "ORDER BY id";
    private static final String COUNT = "SELECT count(*) FROM pet";
    private static final String LIST = PetRow.SELECT + "WHERE id > ? ORDER BY id LIMIT ?";
    private static final String LIST_BY_STATUS = PetRow.SELECT + "WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
    private static final String TAKEN = "SELECT id FROM pet WHERE id IN (";
    private static final String INSERT = "INSERT INTO pet (id, name, category_id, status) VALUES (?, ?, ?, ?)";

    private final Database database;
    private final String list;
    private final String listByStatus;
    private final Batcher<Insertion, Outcome> writer;
    private final CatalogueVersion version;
    private final FoundPets found = new FoundPets();
    private final Set<IdempotencyKey.Name> inProgress = ConcurrentHashMap.newKeySet();

    SqlCatalogue(Database database, MeterRegistry meters) {
        this.database = database;
        this.list = database.petsQuery(LIST);
        this.listByStatus = database.petsQuery(LIST_BY_STATUS);
        this.version = new CatalogueVersion(database, meters);
        this.writer = new Batcher<>("catalogue-writer", database.writers(), database.patience(),
                this::commit, meters);
    }

    @Override
    public CompletableFuture<Page> list(PetQuery query) {
        return database.read(session -> {
            PreparedStatement select = session.prepare(query.status().isEmpty() ? list : listByStatus);
            int at = 1;
            if (query.status().isPresent()) {
                select.setString(at++, query.status().get().text());
            }
            select.setLong(at++, query.after());
            select.setInt(at, query.limit() + 1);
            return Page.of(query, database.pets(select));
        });
    }

    @Override
    public CompletableFuture<Version> version() {
        return version.now();
    }

    @Override
    public CompletableFuture<Optional<Pet>> find(long id) {
        Optional<Pet> known = found.find(id);
        if (known.isPresent()) {
            return CompletableFuture.completedFuture(known);
        }
        return database.read(session -> {
            Optional<Pet> pet = find(session, id);
            pet.ifPresent(found::add);
            return pet;
        });
    }

    private static Optional<Pet> find(Session session, long id) throws SQLException {
        PreparedStatement select = session.prepare(FIND);
        select.setLong(1, id);
        return Session.rows(select, PetRow::read).stream().findFirst();
    }

    /// One animal that waits for the writer.
    private record Insertion(NewPet pet, Optional<IdempotencyKey> key) {
    }

    /// What the writer made of an insertion: one that is refused does not hold up the others of its group.
    private sealed interface Outcome {
        record Done(Added added) implements Outcome {
        }

        record Refused(Failure failure) implements Outcome {
        }
    }

    @Override
    public CompletableFuture<Pet> add(NewPet pet) {
        return writer.submit(new Insertion(pet, Optional.empty())).thenApply(outcome -> added(outcome).pet());
    }

    @Override
    public CompletableFuture<Added> addOnce(NewPet pet, IdempotencyKey key) {
        if (!inProgress.add(key.name())) {
            return CompletableFuture.failedFuture(new Failure(Failure.Kind.REQUEST_IN_PROGRESS,
                    "a request with this Idempotency-Key is being carried out"));
        }
        return writer.submit(new Insertion(pet, Optional.of(key))).thenApply(SqlCatalogue::added)
                .whenComplete((_, _) -> inProgress.remove(key.name()));
    }

    private static Added added(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done(var added) -> added;
            case Outcome.Refused(var failure) -> throw failure;
        };
    }

    @Override
    public void addAll(List<NewPet> pets) {
        if (!pets.isEmpty()) {
            commitNew(pets);
        }
    }

    private List<Outcome> commit(List<Insertion> insertions) {
        if (insertions.stream().anyMatch(insertion -> insertion.key().isPresent())) {
            return commitOnce(insertions);
        }
        return commitNew(insertions.stream().map(Insertion::pet).toList()).stream().map(SqlCatalogue::done).toList();
    }

    private static Outcome done(Pet pet) {
        return new Outcome.Done(new Added(pet, false));
    }

    private List<Pet> commitNew(List<NewPet> pets) {
        List<Pet> added = database.add(pets);
        version.reached(new Version(added.getLast().id(), 0));
        return added;
    }

    /// Animals under ids in a row from `firstId` on.
    static List<Pet> withIds(List<NewPet> pets, long firstId) {
        return IntStream.range(0, pets.size()).mapToObj(i -> pets.get(i).withId(firstId + i)).toList();
    }

    /// Inserts animals under ids in a row from `firstId` on, and gives them back.
    static List<Pet> insertNew(Session session, List<NewPet> pets, long firstId) throws SQLException {
        List<Pet> added = withIds(pets, firstId);
        insert(session, added);
        return added;
    }

    /// Taking the ids locks out every other transaction that adds animals: what was carried out before is all there is to know.
    private List<Outcome> commitOnce(List<Insertion> insertions) {
        AtomicLong lastId = new AtomicLong();
        List<Outcome> committed = database.write(session -> {
            long nextId = database.newPetIds(session, insertions.size());
            Map<IdempotencyKey.Name, SqlIdempotency.Entry> before = SqlIdempotency.find(session,
                    insertions.stream().flatMap(insertion -> insertion.key().stream()).toList());
            List<Pet> pets = new ArrayList<>(insertions.size());
            List<Outcome> outcomes = new ArrayList<>(insertions.size());
            Map<IdempotencyKey, Long> recorded = new LinkedHashMap<>();
            for (Insertion insertion : insertions) {
                Optional<Outcome> replayed = insertion.key().isEmpty()
                        ? Optional.empty()
                        : replay(session, insertion.key().get(), before);
                if (replayed.isPresent()) {
                    outcomes.add(replayed.get());
                } else {
                    Pet pet = insertion.pet().withId(nextId++);
                    insertion.key().ifPresent(key -> recorded.put(key, pet.id()));
                    pets.add(pet);
                    outcomes.add(done(pet));
                }
            }
            insert(session, pets);
            if (!recorded.isEmpty()) {
                SqlIdempotency.record(session, recorded);
            }
            lastId.set(nextId - 1);
            return outcomes;
        });
        version.reached(new Version(lastId.get(), 0));
        return committed;
    }

    /// What an earlier request under the same name came to; absent when there was none that is still kept.
    private static Optional<Outcome> replay(Session session, IdempotencyKey key,
            Map<IdempotencyKey.Name, SqlIdempotency.Entry> before) throws SQLException {
        SqlIdempotency.Entry entry = before.get(key.name());
        if (entry == null) {
            return Optional.empty();
        }
        if (!entry.isKeptFor(key)) {
            SqlIdempotency.forget(session, key);
            return Optional.empty();
        }
        if (!entry.fingerprint().equals(key.fingerprint())) {
            return Optional.of(new Outcome.Refused(new Failure(Failure.Kind.IDEMPOTENCY_KEY_REUSED,
                    "this Idempotency-Key was used for another request")));
        }
        return find(session, entry.petId()).map(pet -> new Outcome.Done(new Added(pet, true)));
    }

    @Override
    public void putBack(List<Pet> pets) {
        try {
            database.write(session -> {
                database.reservePetIds(session, pets.stream().mapToLong(Pet::id).max().orElse(0));
                session.prepare(PUT_BACK).executeUpdate();
                insert(session, pets);
                return pets.size();
            });
            version.forget();
        } catch (Failure e) {
            if (e.kind() != Failure.Kind.INTERNAL_ERROR) {
                throw e;
            }
            for (long id : taken(pets.stream().map(Pet::id).toList())) {
                throw new Failure(Failure.Kind.INVALID_REQUEST, "the id " + id + " is taken", e);
            }
            throw e;
        }
    }

    /// One statement for many animals: SQLite looks after its ids once for each.
    private static void insert(Session session, List<Pet> pets) throws SQLException {
        for (List<Pet> some : Session.chunks(pets)) {
            PreparedStatement insert = session.prepare(INSERT + ", (?, ?, ?, ?)".repeat(some.size() - 1));
            int at = 1;
            for (Pet pet : some) {
                insert.setLong(at++, pet.id());
                insert.setString(at++, pet.name().toString());
                insert.setLong(at++, pet.categoryId());
                insert.setString(at++, pet.status().map(PetStatus::text).orElse(null));
            }
            insert.executeUpdate();
        }
    }

    @Override
    public void forEachGroup(Consumer<Iterable<Pet>> action) {
        database.forEachGroupOfPets(action);
    }

    @Override
    public long count() {
        return database.readAside(session -> Session.rows(session.prepare(COUNT), row -> row.getLong(1)).getFirst());
    }

    @Override
    public Set<Long> taken(Collection<Long> ids) {
        return database.readAside(session -> taken(session, ids));
    }

    private static Set<Long> taken(Session session, Collection<Long> ids) throws SQLException {
        Set<Long> taken = new HashSet<>();
        for (List<Long> some : Session.chunks(ids)) {
            PreparedStatement select = session.prepare(TAKEN + "?" + ", ?".repeat(some.size() - 1) + ")");
            for (int i = 0; i < some.size(); i++) {
                select.setLong(i + 1, some.get(i));
            }
            taken.addAll(Session.rows(select, row -> row.getLong(1)));
        }
        return taken;
    }

    @Override
    public long reserveIds(long id) {
        return database.write(session -> database.reservePetIds(session, id));
    }

    /// Waits until every animal that was taken is committed.
    @Override
    public void close() {
        writer.close();
        version.close();
    }
}
