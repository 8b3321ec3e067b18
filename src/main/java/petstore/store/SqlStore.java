package petstore.store;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import petstore.Catalogue;
import petstore.Closer;
import petstore.KeyRing;
import petstore.Pet;
import petstore.memory.SharedMemory;
import petstore.store.block.BlockCache;
import petstore.store.queue.SharedReading;
import petstore.store.queue.WorkQueue;

/// An open store: a catalogue and a key ring in one database.
public final class SqlStore implements AutoCloseable {

    /// The time for which a successful check counts, because health checks need no API key.
    private static final Duration CHECKED_FOR = Duration.ofSeconds(1);

    /// The size and checksum of a store, for a comparison with another store.
    ///
    /// @param results the number of kept results of requests with an Idempotency-Key
    /// @param lastId the greatest id ever used for an animal, 0 for none
    /// @param sha256 the SHA-256 of all rows in a fixed order, 64 hexadecimal digits
    public record Summary(long pets, long keys, long results, long lastId, String sha256) {

        /// Returns the summary for people, e.g. `46 animals, 2 API keys, 0 kept results, greatest id 46, SHA-256 9f86…`.
        @Override
        public String toString() {
            return Pet.counted(pets) + ", " + keys + (keys == 1 ? " API key, " : " API keys, ") + results
                    + (results == 1 ? " kept result" : " kept results") + ", greatest id " + lastId
                    + ", SHA-256 " + sha256;
        }
    }

    private final Database database;
    private final OneAtATime background = new OneAtATime();
    private final SharedMemory memory;
    private final SqlCatalogue catalogue;
    private final SqlKeyRing keys;
    private final SharedReading<Boolean> checks;
    /// The time when the last successful check began, by [System#nanoTime]; initially too old to count.
    private volatile long checkedNs = System.nanoTime() - CHECKED_FOR.toNanos() - 1;

    public SqlStore(Database database, MeterRegistry meters) {
        this(database, meters, BlockCache.IDS);
    }

    /// @param idsOfBlock the number of ids whose animals memory keeps together
    public SqlStore(Database database, MeterRegistry meters, int idsOfBlock) {
        this.database = database;
        this.memory = new SharedMemory(meters);
        this.catalogue = new SqlCatalogue(database, memory, idsOfBlock, meters);
        this.keys = new SqlKeyRing(database, background, meters);
        this.checks = new SharedReading<>("store-check", database.traits().patience(), this::checkNow, meters);
        WorkQueue.measureLength("readers", database::waitingReads, meters);
    }

    /// Returns a store that a command uses, without metrics.
    public static SqlStore of(Database database) {
        return new SqlStore(database, new CompositeMeterRegistry());
    }

    /// Copies this store to an empty store, and compares both before COMMIT. This store does not change.
    ///
    /// Errors: [petstore.CommandFailure] with the reason; the target stays empty.
    ///
    /// @param progress gets the number of animals copied and compared so far, in the end twice the number of animals
    /// @return the summary of both stores
    public Summary copyTo(SqlStore target, LongConsumer progress) {
        return StoreCopy.copy(database, target.database, progress);
    }

    public Catalogue catalogue() {
        return catalogue;
    }

    /// Returns the memory of pages and blocks.
    public SharedMemory memory() {
        return memory;
    }

    public KeyRing keys() {
        return keys;
    }

    /// Records the address of the API, as [Database#announce].
    public void announce(String address) {
        database.announce(address);
    }

    /// Returns true if another process may wait to write.
    public boolean isServed() {
        return database.isServed();
    }

    public Database.Facts facts() {
        return background.run(database::facts);
    }

    /// Throws [petstore.Failure] of kind `UNAVAILABLE` if the store is not ready. Each call asks [Database.Watch#requireReady]. One
    /// [Database.Watch#check] at a time serves all callers. A success also serves the callers of the next second.
    public void check() {
        database.watch().requireReady();
        if (isChecked()) {
            return;
        }
        try {
            checks.next().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    public void retryWrite() {
        database.watch().retryWrite();
    }

    private boolean isChecked() {
        return System.nanoTime() - checkedNs <= CHECKED_FOR.toNanos();
    }

    private boolean checkNow() {
        // The check before may have succeeded since this caller asked for one.
        if (!isChecked()) {
            long beganNs = System.nanoTime();
            database.watch().check();
            checkedNs = beganNs;
        }
        return true;
    }

    /// Refuses new operations, finishes queued writes, and closes every connection.
    @Override
    public void close() {
        Closer.closeAll(catalogue, keys, checks, database);
    }
}
