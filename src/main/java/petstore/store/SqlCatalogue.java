package petstore.store;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.Catalogue;
import petstore.Catalogue.Added;
import petstore.CatalogueVersion;
import petstore.Closer;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.memory.SharedMemory;
import petstore.store.block.Block;
import petstore.store.block.BlockCache;
import petstore.store.queue.SharedReading;

/// The catalogue in the table `pet`.
final class SqlCatalogue implements Catalogue, BlockCache.Source, AutoCloseable {

    private final Database database;
    private final KnownVersion version;
    private final SharedReading<CatalogueVersion> versions;
    private final PetWriter writer;
    private final BlockCache blocks;

    SqlCatalogue(Database database, SharedMemory memory, int idsOfBlock, MeterRegistry meters) {
        this.database = database;
        this.version = new KnownVersion(database);
        this.versions = new SharedReading<>("catalogue-version", database.traits().patience(), version::refresh,
                meters);
        this.writer = new PetWriter(database, version, meters);
        this.blocks = new BlockCache(this, memory, idsOfBlock);
    }

    /// If the version has expired, the store reads pages until it is known again. No page waits for it.
    @Override
    public CompletableFuture<Page> list(PetQuery query) {
        if (version.isExpired()) {
            var _ = versions.next();
        }
        try {
            return blocks.list(query);
        } catch (Failure notReady) {
            return CompletableFuture.failedFuture(notReady);
        }
    }

    @Override
    public CompletableFuture<Page> readPage(PetQuery query) {
        return database.readPage(query);
    }

    @Override
    public CompletableFuture<Block> readBlock(Block.Ids ids) {
        return database.read(session -> PetTable.block(session, ids));
    }

    @Override
    public Optional<CatalogueVersion> findVersion() {
        return version.find();
    }

    @Override
    public CompletableFuture<CatalogueVersion> version() {
        return version.find().map(CompletableFuture::completedFuture).orElseGet(versions::next);
    }

    @Override
    public Optional<Long> findEpoch() {
        return database.watch().findEpoch().or(() -> version.find().map(CatalogueVersion::epoch));
    }

    @Override
    public CompletableFuture<Optional<Pet>> find(long id) {
        return database.read(session -> PetTable.find(session, id));
    }

    @Override
    public CompletableFuture<Added> add(NewPet pet, Optional<IdempotencyKey> key) {
        return writer.add(pet, key);
    }

    @Override
    public CompletableFuture<Optional<Added>> findAdded(IdempotencyKey key) {
        return writer.findAdded(key);
    }

    @Override
    public void addAll(List<NewPet> pets) {
        if (!pets.isEmpty()) {
            writer.addAll(pets);
        }
    }

    @Override
    public long lastId() {
        return database.watch().version().lastId();
    }

    @Override
    public void addWithIds(Iterator<List<Pet>> groups) {
        version.reached(database.addWithIds(groups));
    }

    @Override
    public void forEachGroup(Consumer<Iterable<Pet>> action) {
        database.forEachGroupOfPets(action);
    }

    @Override
    public long count() {
        return database.readUnqueued(session -> session.number("SELECT count(*) FROM pet"));
    }

    @Override
    public void close() {
        Closer.closeAll(writer, versions);
    }
}
