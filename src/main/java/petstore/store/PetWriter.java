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
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.Catalogue.Added;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Pet;
import petstore.store.queue.MeasuredQueue;
import petstore.store.queue.WorkQueue;

/// Adds animals. Those that wait at the same time are added in one transaction.
final class PetWriter implements AutoCloseable {

    private final Database database;
    private final KnownVersion version;
    /// Each result throws if its insertion is refused, so that the others of its group do not fail.
    private final WorkQueue<Insertion, Supplier<Added>> batches;
    private final Set<IdempotencyKey.Name> inProgress = ConcurrentHashMap.newKeySet();
    private final Counter dropped;

    /// @param version records the greatest id after each commit
    PetWriter(Database database, KnownVersion version, MeterRegistry meters) {
        this.database = database;
        this.version = version;
        this.batches = MeasuredQueue.ofWrites("catalogue-writer", database.writers(), database.patience(), this::commit,
                meters);
        this.dropped = Counter.builder("petstore.dropped.results")
                .description("Results of requests with an Idempotency-Key, dropped before their retention ended.")
                .register(meters);
    }

    private record Insertion(NewPet pet, Optional<IdempotencyKey> key) {
    }

    /// A transaction.
    ///
    /// @param dropped the number of stored results that it purged before their retention ended
    private record Committed(List<Supplier<Added>> results, long lastId, int dropped) {
    }

    /// Adds an animal, as [petstore.Catalogue#add].
    CompletableFuture<Pet> add(NewPet pet) {
        return batches.submit(new Insertion(pet, Optional.empty())).thenApply(added -> added.get().pet());
    }

    /// Adds an animal, as [petstore.Catalogue#addOnce].
    CompletableFuture<Added> addOnce(NewPet pet, IdempotencyKey key) {
        if (!inProgress.add(key.name())) {
            return CompletableFuture.failedFuture(inProgress());
        }
        return batches.submit(new Insertion(pet, Optional.of(key))).thenApply(Supplier::get)
                .whenComplete((_, _) -> inProgress.remove(key.name()));
    }

    /// Finds an earlier result, as [petstore.Catalogue#findAdded].
    CompletableFuture<Optional<Added>> findAdded(IdempotencyKey key) {
        if (inProgress.contains(key.name())) {
            return CompletableFuture.failedFuture(inProgress());
        }
        return database.read(session -> replay(session, key, Instant.ofEpochMilli(session.number(database.selectNow())),
                SqlIdempotency.find(session, List.of(key)))).thenApply(found -> found.map(Supplier::get));
    }

    private static Failure inProgress() {
        return new Failure(Failure.Kind.REQUEST_IN_PROGRESS, "a request with this Idempotency-Key is in progress");
    }

    private List<Supplier<Added>> commit(List<Insertion> insertions) {
        if (insertions.stream().anyMatch(insertion -> insertion.key().isPresent())) {
            return commitOnce(insertions);
        }
        return commitNew(insertions.stream().map(Insertion::pet).toList()).stream().map(PetWriter::done).toList();
    }

    private static Supplier<Added> done(Pet pet) {
        return () -> new Added(pet, false);
    }

    /// Adds animals in one transaction, without queueing.
    List<Pet> commitNew(List<NewPet> pets) {
        List<Pet> added = database.add(pets);
        version.reached(added.getLast().id());
        return added;
    }

    /// Adds animals in one transaction. Reserving their ids excludes other transactions that add animals, so all earlier results are
    /// visible.
    private List<Supplier<Added>> commitOnce(List<Insertion> insertions) {
        Committed committed = database.write(session -> {
            Database.NewIds ids = database.newPetIds(session, insertions.size());
            long nextId = ids.first();
            Map<IdempotencyKey.Name, SqlIdempotency.StoredResult> before = SqlIdempotency.find(session,
                    insertions.stream().flatMap(insertion -> insertion.key().stream()).toList());
            List<Pet> pets = new ArrayList<>(insertions.size());
            List<Supplier<Added>> results = new ArrayList<>(insertions.size());
            Map<IdempotencyKey, Long> recorded = new LinkedHashMap<>();
            for (Insertion insertion : insertions) {
                Optional<Supplier<Added>> replayed = insertion.key().isEmpty()
                        ? Optional.empty()
                        : replay(session, insertion.key().get(), ids.taken(), before);
                if (replayed.isPresent()) {
                    results.add(replayed.get());
                } else {
                    Pet pet = insertion.pet().withId(nextId++);
                    if (insertion.key().isPresent()) {
                        IdempotencyKey key = insertion.key().get();
                        recorded.put(key, pet.id());
                        if (before.containsKey(key.name())) {
                            SqlIdempotency.forget(session, key);
                        }
                    }
                    pets.add(pet);
                    results.add(done(pet));
                }
            }
            PetTable.insert(session, pets);
            return new Committed(results, nextId - 1,
                    recorded.isEmpty() ? 0 : SqlIdempotency.record(session, recorded, ids.taken()));
        });
        version.reached(committed.lastId());
        dropped.increment(committed.dropped());
        return committed.results();
    }

    /// Returns the result of an earlier request with the same name; absent if none is kept.
    private static Optional<Supplier<Added>> replay(Session session, IdempotencyKey key, Instant now,
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
        return PetTable.find(session, stored.petId()).map(found -> () -> new Added(found, true));
    }

    /// Waits until every queued animal is committed.
    @Override
    public void close() {
        batches.close();
    }
}
