package petstore.store;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.ApiKey;
import petstore.store.queue.MeasuredQueue;
import petstore.store.queue.WorkQueue;

/// The API keys in memory. They are read again only if the number of changes in the store is another one than before.
final class KnownKeys implements AutoCloseable {

    private static final String CHANGES = "SELECT changes FROM api_key_change";

    /// @param changes how often the keys had been changed, or fewer times
    private record Snapshot(long changes, Map<String, ApiKey> keys) {
    }

    private final Database database;
    private final WorkQueue<Boolean, Boolean> readings;
    private final AtomicReference<Snapshot> snapshot = new AtomicReference<>(new Snapshot(-1, Map.of()));

    KnownKeys(Database database, MeterRegistry meters) {
        this.database = database;
        this.readings = MeasuredQueue.ofSharedWork("keys", database.patience(), this::bringUpToDate, meters);
        database.onNewEpoch(() -> snapshot.set(database.readUnqueued(KnownKeys::read)));
    }

    /// Returns the keys by id as last read, revoked and expired ones too.
    Map<String, ApiKey> now() {
        return snapshot.get().keys();
    }

    /// Has the keys in memory include every change that was committed before this call. One reading serves all who wait for it.
    CompletableFuture<Boolean> refresh() {
        return readings.submit(true);
    }

    /// If a new epoch begins meanwhile, the keys were read anew from another server: they are not replaced by those of the old one.
    private boolean bringUpToDate() {
        Snapshot before;
        Snapshot after;
        do {
            Snapshot known = snapshot.get();
            before = known;
            after = database.readUnqueued(session -> changes(session) == known.changes() ? known : read(session));
        } while (!snapshot.compareAndSet(before, after));
        return true;
    }

    /// The number is read first: a change between both statements is noticed by the next reading.
    private static Snapshot read(Session session) throws SQLException {
        long changes = changes(session);
        return new Snapshot(changes,
                SqlKeyRing.list(session).stream().collect(Collectors.toMap(ApiKey::id, Function.identity())));
    }

    private static long changes(Session session) throws SQLException {
        return Session.rows(session.prepare(CHANGES), row -> row.getLong(1)).getFirst();
    }

    @Override
    public void close() {
        readings.close();
    }
}
