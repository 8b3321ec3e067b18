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

/// The API keys in memory. They are read again only if the store's number of changes differs.
final class KnownKeys implements AutoCloseable {

    private static final String CHANGES = "SELECT changes FROM api_key_change";

    /// @param changes the number of changes of keys in the store when the keys were read, or fewer
    private record Snapshot(long changes, Map<String, ApiKey> keys) {
    }

    private final Database database;
    private final WorkQueue<Boolean, Boolean> readings;
    private final AtomicReference<Snapshot> snapshot = new AtomicReference<>(new Snapshot(-1, Map.of()));

    KnownKeys(Database database, MeterRegistry meters) {
        this.database = database;
        this.readings = MeasuredQueue.ofSharedWork("keys", database.patience(), this::update, meters);
        database.onNewEpoch(() -> snapshot.set(database.readUnqueued(KnownKeys::read)));
    }

    /// Returns the keys by id as last read, revoked and expired ones too.
    Map<String, ApiKey> now() {
        return snapshot.get().keys();
    }

    /// Reads every change that was committed before this call. One query serves all callers that wait.
    CompletableFuture<Boolean> refresh() {
        return readings.submit(true);
    }

    /// If an epoch begins meanwhile, its keys are not replaced by those of the server before.
    private boolean update() {
        while (true) {
            Snapshot before = snapshot.get();
            Snapshot after = database
                    .readUnqueued(session -> session.number(CHANGES) == before.changes() ? before : read(session));
            if (snapshot.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /// The number is read first, so that the next query notices a change between both statements.
    private static Snapshot read(Session session) throws SQLException {
        long changes = session.number(CHANGES);
        return new Snapshot(changes,
                SqlKeyRing.list(session).stream().collect(Collectors.toMap(ApiKey::id, Function.identity())));
    }

    @Override
    public void close() {
        readings.close();
    }
}
