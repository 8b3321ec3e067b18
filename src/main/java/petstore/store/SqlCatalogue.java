package petstore.store;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.Catalogue;
import petstore.Catalogue.Added;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Page;
import petstore.Pet;
import petstore.PetQuery;
import petstore.Version;

/// The catalogue in the table `pet`.
final class SqlCatalogue implements Catalogue, AutoCloseable {

    /// Tells every process that animals came under ids of their own.
    static final String PUT_BACK = "UPDATE put_back SET times = times + 1";
    private static final String COUNT = "SELECT count(*) FROM pet";

    private final Database database;
    private final CatalogueVersion version;
    private final PetWriter writer;

    SqlCatalogue(Database database, MeterRegistry meters) {
        this.database = database;
        this.version = new CatalogueVersion(database, meters);
        this.writer = new PetWriter(database, version, meters);
    }

    @Override
    public CompletableFuture<Page> list(PetQuery query) {
        return database.read(session -> Page.of(query, database.pets(session, query)));
    }

    @Override
    public CompletableFuture<Version> version() {
        return version.now();
    }

    @Override
    public CompletableFuture<Optional<Pet>> find(long id) {
        return database.read(session -> PetTable.find(session, id));
    }

    @Override
    public CompletableFuture<Pet> add(NewPet pet) {
        return writer.add(pet);
    }

    @Override
    public CompletableFuture<Added> addOnce(NewPet pet, IdempotencyKey key) {
        return writer.addOnce(pet, key);
    }

    @Override
    public void addAll(List<NewPet> pets) {
        if (!pets.isEmpty()) {
            writer.commitNew(pets);
        }
    }

    @Override
    public void putBack(List<Pet> pets) {
        try {
            database.write(session -> {
                database.reservePetIds(session, pets.stream().mapToLong(Pet::id).max().orElse(0));
                session.prepare(PUT_BACK).executeUpdate();
                PetTable.insert(session, pets);
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
        return database.readAside(session -> PetTable.taken(session, ids));
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
