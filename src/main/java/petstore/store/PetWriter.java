package petstore.store;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.Catalogue.Added;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Pet;
import petstore.store.queue.WorkQueue;

/// Adds animals. Those that wait at the same time are added in one transaction.
final class PetWriter implements AutoCloseable {

    private final Database database;
    private final KnownVersion version;
    private final WorkQueue<Insertion, Outcome> groups;
    /// The keys of insertions whose result is awaited. So a group has no key twice.
    private final Set<IdempotencyKey.Name> inProgress = ConcurrentHashMap.newKeySet();
    private final Counter dropped;

    /// @param version records the greatest id after each commit
    PetWriter(Database database, KnownVersion version, MeterRegistry meters) {
        this.database = database;
        this.version = version;
        this.groups = new WorkQueue<>("catalogue-writer", database.traits().writers(), database.traits().patience(),
                Failure.Unavailability.OUTCOME_UNKNOWN, this::addGroup, meters);
        this.dropped = Counter.builder("petstore.dropped.results")
                .description("Results of requests with an Idempotency-Key, dropped before their retention ended.")
                .register(meters);
    }

    private record Insertion(NewPet pet, Optional<IdempotencyKey> key) {
    }

    /// The result of an insertion, after the commit of its group.
    private interface Outcome {

        /// Returns the animal. Errors: [Failure] if an earlier request used the key for another animal.
        Added added();
    }

    /// A group after its commit.
    ///
    /// @param outcomes one for each insertion, in their order
    /// @param dropped the number of stored results that it purged before their retention ended
    private record Committed(List<Outcome> outcomes, long lastId, int dropped) {

        static Committed of(List<Pet> pets) {
            return new Committed(pets.stream().map(PetWriter::inserted).toList(), pets.getLast().id(), 0);
        }
    }

    private static Outcome inserted(Pet pet) {
        return () -> new Added(pet, false);
    }

    CompletableFuture<Added> add(NewPet pet, Optional<IdempotencyKey> key) {
        if (key.filter(other -> !inProgress.add(other.name())).isPresent()) {
            return CompletableFuture.failedFuture(inProgress());
        }
        return groups.submit(new Insertion(pet, key)).thenApply(Outcome::added)
                .whenComplete((_, _) -> key.ifPresent(done -> inProgress.remove(done.name())));
    }

    /// Adds animals in one transaction, without queueing.
    void addAll(List<NewPet> pets) {
        addGroup(pets.stream().map(pet -> new Insertion(pet, Optional.empty())).toList());
    }

    CompletableFuture<Optional<Added>> findAdded(IdempotencyKey key) {
        if (inProgress.contains(key.name())) {
            return CompletableFuture.failedFuture(inProgress());
        }
        return database.read(
                session -> replay(session, key, Instant.ofEpochMilli(session.number(database.dialect().selectNow())),
                        SqlIdempotency.find(session, List.of(key))))
                .thenApply(found -> found.map(Outcome::added));
    }

    private static Failure inProgress() {
        return new Failure(Failure.Kind.REQUEST_IN_PROGRESS, "a request with this Idempotency-Key is in progress");
    }

    private List<Outcome> addGroup(List<Insertion> group) {
        boolean hasKeys = group.stream().anyMatch(insertion -> insertion.key().isPresent());
        Optional<List<Pet>> pets = hasKeys
                ? Optional.empty()
                : database.addInOneStatement(group.stream().map(Insertion::pet).toList());
        Committed committed = pets.map(Committed::of)
                .orElseGet(() -> database.write(session -> addInTransaction(session, group)));
        version.reached(committed.lastId());
        dropped.increment(committed.dropped());
        return committed.outcomes();
    }

    /// Adds a group in a transaction. Once it has its ids, no other transaction adds animals, so all earlier results are visible.
    private Committed addInTransaction(Session session, List<Insertion> group) throws SQLException {
        Database.NewIds ids = database.dialect().newPetIds(session, group.size());
        Map<IdempotencyKey.Name, SqlIdempotency.StoredResult> before = SqlIdempotency.find(session,
                group.stream().flatMap(insertion -> insertion.key().stream()).toList());
        long lastId = ids.first() - 1;
        List<Pet> pets = new ArrayList<>(group.size());
        List<Outcome> outcomes = new ArrayList<>(group.size());
        // No key is there twice, see `inProgress`.
        Map<IdempotencyKey, Long> recorded = new LinkedHashMap<>();
        for (Insertion insertion : group) {
            Optional<Outcome> earlier = insertion.key().isEmpty()
                    ? Optional.empty()
                    : replay(session, insertion.key().get(), ids.taken(), before);
            if (earlier.isPresent()) {
                outcomes.add(earlier.get());
                continue;
            }
            Pet pet = insertion.pet().withId(++lastId);
            pets.add(pet);
            outcomes.add(inserted(pet));
            insertion.key().ifPresent(key -> recorded.put(key, pet.id()));
        }
        for (IdempotencyKey key : recorded.keySet()) {
            if (before.containsKey(key.name())) {
                SqlIdempotency.forget(session, key);
            }
        }
        PetTable.insert(session, pets);
        return new Committed(outcomes, lastId,
                recorded.isEmpty() ? 0 : SqlIdempotency.record(session, recorded, ids.taken()));
    }

    /// Returns the outcome of an earlier request with the same name; absent if none is kept.
    private static Optional<Outcome> replay(Session session, IdempotencyKey key, Instant now,
            Map<IdempotencyKey.Name, SqlIdempotency.StoredResult> before) throws SQLException {
        SqlIdempotency.StoredResult stored = before.get(key.name());
        if (stored == null || !stored.isKept(key, now)) {
            return Optional.empty();
        }
        if (!stored.fingerprint().equals(key.fingerprint())) {
            return Optional.of(() -> {
                throw new Failure(Failure.Kind.IDEMPOTENCY_KEY_REUSED,
                        "this Idempotency-Key was used for another request");
            });
        }
        // The animal may have been deleted by SQL.
        return PetTable.find(session, stored.petId()).map(pet -> () -> new Added(pet, true));
    }

    /// Waits until every queued animal is committed.
    @Override
    public void close() {
        groups.close();
    }
}
