package petstore.store;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import petstore.Catalogue;
import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;

/// A database that holds a store, in four parts: sessions, the dialect, the watch, and facts. Another SQL database implements them all;
/// `Migrations` gets its scripts.
///
/// Errors: every method throws [Failure], of kind `UNAVAILABLE` if the database cannot be used now; for a command, a
/// [petstore.CommandFailure].
public interface Database extends AutoCloseable {

    /// The message for clients if a statement failed.
    String UNAVAILABLE = "the store is unavailable; try again later";

    /// Work on a session. It may run on another thread than its caller's.
    @FunctionalInterface
    interface Work<T> extends SqlFunction<Session, T> {

        /// Work without a result.
        @FunctionalInterface
        interface Step {
            void on(Session session) throws SQLException;
        }

        /// Returns a step as work, whose result is its session.
        static Work<Session> of(Step step) {
            return session -> {
                step.on(session);
                return session;
            };
        }
    }

    /// Queues `work`, which only reads. It sees everything that was committed before this call. The future fails with a [Failure].
    <T> CompletableFuture<T> read(Work<T> work);

    /// Queues the reading of a page, as [#read].
    CompletableFuture<Page> readPage(PetQuery query);

    /// Runs `work`, which only reads, without queueing. For keys, versions and health. In a service, nothing else may call it outside
    /// [OneAtATime].
    <T> T readUnqueued(Work<T> work);

    /// Runs `work` in one transaction, which is durable when this returns. If it throws, the transaction is rolled back.
    <T> T write(Work<T> work);

    /// Adds animals with consecutive new ids in one statement, which commits by itself, and returns them. Absent if a transaction is as
    /// fast.
    default Optional<List<Pet>> addInOneStatement(List<NewPet> pets) {
        return Optional.empty();
    }

    /// Adds animals with their ids in one transaction, as [petstore.Catalogue#addWithIds]. Returns the greatest id.
    default long addWithIds(Iterator<List<Pet>> groups) {
        return write(session -> {
            long last = 0;
            while (groups.hasNext()) {
                List<Pet> group = groups.next();
                last = group.getLast().id();
                requireAbove(dialect().reservePetIds(session, last), group.getFirst().id());
                PetTable.insert(session, group);
            }
            return last;
        });
    }

    /// Throws a [Failure] of kind `INVALID_REQUEST` if `id` does not lie above the greatest id used.
    static void requireAbove(long lastId, long id) {
        if (id <= lastId) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, Catalogue.notAbove(id, lastId));
        }
    }

    /// Passes every animal to `action`, in groups, by ascending id, as of one moment.
    void forEachGroupOfPets(Consumer<Iterable<Pet>> action);

    Dialect dialect();

    /// The statements in which databases differ.
    interface Dialect {

        /// Returns the SQL that yields the database's time, in milliseconds since 1970-01-01T00:00:00Z.
        String selectNow();

        /// Returns `count` ids for new animals. Called inside [Database#write].
        NewIds newPetIds(Session session, int count) throws SQLException;

        /// Makes later ids greater than `id`. Returns the greatest id used so far, 0 for none. Called inside [Database#write].
        long reservePetIds(Session session, long id) throws SQLException;

        /// Makes other transactions that add keys wait until this one ends. Called first inside [Database#write].
        void lockKeys(Session session) throws SQLException;
    }

    /// Ids for new animals.
    ///
    /// @param first the first of consecutive ids, greater than all used so far
    /// @param taken the database's time when the ids were taken
    record NewIds(long first, Instant taken) {
    }

    Watch watch();

    /// The state of the database, as this process knows it.
    interface Watch {

        CatalogueVersion version();

        /// Returns the epoch of [#version] if the database watches it; absent if only a query can tell.
        Optional<Long> findEpoch();

        /// Registers an action. It runs each time that the data may not continue those before, e.g. after a failover that lost animals, and
        /// before requests use them. It must not block.
        void onNewLineage(Runnable action);

        /// Tries a write if the last one failed, so that the database becomes ready without requests. Blocks.
        default void retryWrite() {
        }

        /// Runs a step of the start. Repeats it while a shared database cannot be used, until the wait of the start is over. So the step
        /// must not depend on the outcome of an earlier COMMIT.
        default <T> T atStart(Supplier<T> step) {
            return step.get();
        }

        /// Throws if this process knows that the database is not ready: there is no primary, or the last write failed. Only reads memory.
        void requireReady();

        /// Throws if the database is not ready, as [#requireReady], or because of an older schema or missing access.
        void check();
    }

    /// Records the address of the API that serves the embedded store, for the messages of other processes.
    default void announce(String address) {
    }

    /// Returns true if another process may wait to write.
    default boolean isServed() {
        return true;
    }

    Traits traits();

    /// Facts that stay.
    ///
    /// @param isShared true if several processes may serve the database at the same time
    /// @param writers the number of transactions that may add animals at the same time
    /// @param patience the longest time that an operation may take, waiting included
    record Traits(boolean isShared, int writers, Duration patience) {
    }

    /// Facts for metrics. A number is NaN if it is unknown, or if this kind of database does not have it.
    ///
    /// @param bytes the size of the database, without its write-ahead log
    /// @param logBytes the size of the embedded store's write-ahead log; 0 for other databases
    /// @param freeBytes the bytes that this process may still write to the embedded store's disk
    /// @param lastBackupSeconds the time of the embedded store's last backup, in seconds since 1970
    record Facts(double bytes, double logBytes, double freeBytes, double lastBackupSeconds) {
    }

    /// Returns the facts as they are now. Blocks.
    Facts facts();

    int waitingReads();

    @Override
    void close();
}
