package petstore.store;

import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import petstore.Catalogue;
import petstore.KeyRing;
import petstore.store.queue.MeasuredQueue;
import petstore.store.queue.WorkQueue;

/// An open store: its catalogue and its key ring over one database.
///
/// ```java
/// try (SqlStore store = SqlStore.of(Sqlite.forCommand(Path.of("data"), SchemaPolicy.AUTO, true))) {
///     Pet pet = store.catalogue().add(new NewPet("Whiskers", 7, Optional.empty())).join();
/// }
/// ```
public final class SqlStore implements AutoCloseable {

    private final Database database;
    private final SqlCatalogue catalogue;
    private final SqlKeyRing keys;
    private final WorkQueue<Boolean, Boolean> checks;

    /// A store that a service uses: its metrics are kept in `meters`.
    public SqlStore(Database database, MeterRegistry meters) {
        this.database = database;
        this.catalogue = new SqlCatalogue(database, meters);
        this.keys = new SqlKeyRing(database, meters);
        this.checks = MeasuredQueue.ofSharedWork("store-check", database.patience(), this::checkNow, meters);
        MeasuredQueue.measureLength("readers", database::waitingReads, meters);
        Gauge.builder("petstore.store.size", database::bytes).description("What the store takes, without its log.")
                .baseUnit("bytes").register(meters);
        Gauge.builder("petstore.store.log.size", database::logBytes)
                .description("The embedded store's write-ahead log; 0 for PostgreSQL.").baseUnit("bytes")
                .register(meters);
    }

    /// Returns a store that a command uses, without metrics.
    public static SqlStore of(Database database) {
        return new SqlStore(database, new CompositeMeterRegistry());
    }

    /// Copies everything in this store to `target`, which must be empty, and compares both before the copy is kept: nothing of it
    /// is when this fails. This store stays as it is.
    ///
    /// Errors: [petstore.Failure] of kind `UNAVAILABLE` that says what is wrong.
    ///
    /// @param progress is told the animals copied and compared, two for each at the end
    /// @return what both stores have
    public StoreSummary copyTo(SqlStore target, LongConsumer progress) {
        return StoreCopy.copy(database, target.database, progress);
    }

    public Catalogue catalogue() {
        return catalogue;
    }

    public KeyRing keys() {
        return keys;
    }

    /// Does nothing when the store has the schema that this program needs, can be read and written to, and its disk has not failed;
    /// a full disk does not count. Whoever asks while the store is being looked at waits for the next look, which is one for all of
    /// them: nobody needs a key to ask, and all together take one connection.
    /// Errors: [petstore.Failure] of kind `UNAVAILABLE`.
    public void check() {
        try {
            checks.submit(true).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private boolean checkNow() {
        database.check();
        return true;
    }

    /// Refuses new work, finishes what is waiting, and closes every connection.
    @Override
    public void close() {
        catalogue.close();
        keys.close();
        checks.close();
        database.close();
    }
}
