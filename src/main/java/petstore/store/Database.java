package petstore.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import petstore.Catalogue;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;

/// Where the two kinds of database differ: how connections are kept, and a few words of SQL.
///
/// Errors: every method throws [petstore.Failure], of kind `UNAVAILABLE` when the database cannot do it now.
public interface Database extends AutoCloseable {

    /// What is done on a session. It may be called on another thread than the one that asked for it.
    @FunctionalInterface
    interface Work<T> {
        T on(Session session) throws SQLException;
    }

    /// Does `work`, which only reads, in its turn, with everything committed so far in sight. The future fails with the errors.
    <T> CompletableFuture<T> read(Work<T> work);

    /// Does `work`, which only reads, past what waits for its turn: keys, versions, and whether the store can be used.
    <T> T readUnqueued(Work<T> work);

    /// Does `work` in one transaction, which is durable when this comes back. Nothing of it is kept when it throws.
    <T> T write(Work<T> work);

    /// The animals of a page, by ascending id, and the one behind it, if there is one.
    default List<Pet> pets(Session session, PetQuery query) throws SQLException {
        return PetTable.list(session, query);
    }

    /// Returns how far the catalogue has come.
    CatalogueVersion version();

    /// Returns the epoch of [#version], from memory. It is 0 for a database that only this process serves.
    long epoch();

    /// Returns the SQL that yields the database's time, in milliseconds since 1970-01-01T00:00:00Z.
    String selectNow();

    /// Has `listener` called when the store changes by more than added animals, e.g. after a failover that lost some. Requests are
    /// refused until it returns.
    void onNewEpoch(Runnable listener);

    /// Shows every animal to `action`, in groups, by ascending id, as they are at the beginning.
    void forEachGroupOfPets(Consumer<Iterable<Pet>> action);

    /// How many transactions that add animals are worth having at once.
    int writers();

    /// How long the sender of a write waits for its commit.
    Duration patience();

    /// How many reads wait for their turn.
    int waitingReads();

    /// What the database takes, in bytes, without its log; NaN when that cannot be told now.
    double bytes();

    /// What the log of a database takes that is a file, in bytes; 0 when it is none.
    double logBytes();

    /// Whether other processes that serve it may add animals at any time.
    boolean isShared();

    /// Adds animals in one transaction, under new ids in a row, and gives them back.
    default List<Pet> add(List<NewPet> pets) {
        return write(session -> PetTable.insertNew(session, pets, newPetIds(session, pets.size())));
    }

    /// Adds animals under ids of their own in one transaction, as [petstore.Catalogue#addWithIds]. Returns the greatest.
    default long addWithIds(Iterator<List<Pet>> groups) {
        return write(session -> {
            long last = 0;
            while (groups.hasNext()) {
                List<Pet> group = groups.next();
                last = group.getLast().id();
                requireAbove(reservePetIds(session, last), group.getFirst().id());
                PetTable.insert(session, group);
            }
            return last;
        });
    }

    /// Errors: [Failure] of kind `INVALID_REQUEST` if `id` does not lie above the greatest id used.
    static void requireAbove(long lastId, long id) {
        if (id <= lastId) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, Catalogue.notAbove(id, lastId));
        }
    }

    /// The first of `count` ids in a row, greater than all used so far, for new animals; called inside [#write].
    long newPetIds(Session session, int count) throws SQLException;

    /// Makes ids that are given out later greater than `id`, and gives back the greatest one used until now, 0 for none; called
    /// inside [#write].
    long reservePetIds(Session session, long id) throws SQLException;

    /// Makes every other transaction that adds keys wait until this one ends; called first inside [#write].
    void lockKeys(Session session) throws SQLException;

    /// Does nothing when the database has the schema that this program needs, can be read and written to, and its disk has not failed;
    /// a full disk does not count.
    void check();

    @Override
    void close();
}
