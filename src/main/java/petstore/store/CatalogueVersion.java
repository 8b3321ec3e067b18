package petstore.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.Version;
import petstore.store.queue.Batcher;

/// What this process knows of the catalogue's version. Only a process that does not share its database may rely on it; what it
/// was told more than half a second ago it asks again, for what commands have added.
public final class CatalogueVersion implements AutoCloseable {

    private static final String READ = "SELECT last_id, put_backs FROM catalogue_version";
    private static final Duration KNOWN_FOR = Duration.ofMillis(500);

    /// @param readNs when it was read from the database, by [System#nanoTime]
    private record Known(Version version, long readNs) {
    }

    private final Database database;
    private final Batcher<Boolean, Version> readings;
    private final AtomicReference<Known> known = new AtomicReference<>(new Known(new Version(0, 0, 0), longAgo()));

    CatalogueVersion(Database database, MeterRegistry meters) {
        this.database = database;
        this.readings = new Batcher<>("catalogue-version", 1, database.patience(),
                requests -> Collections.nCopies(requests.size(), readNow()), meters);
    }

    /// Reads the version of a store.
    public static Version read(Session session, long epoch) throws SQLException {
        return Session
                .rows(session.prepare(READ), row -> new Version(epoch, row.getLong(1), row.getLong(2))).getFirst();
    }

    private static long longAgo() {
        return System.nanoTime() - KNOWN_FOR.toNanos() - 1;
    }

    /// The version: at once when it is known, else as the database has it after this was called, read once for all that wait.
    CompletableFuture<Version> now() {
        Known last = known.get();
        boolean relied = !database.isShared() && System.nanoTime() - last.readNs() <= KNOWN_FOR.toNanos();
        return relied ? CompletableFuture.completedFuture(last.version()) : readings.submit(true);
    }

    private Version readNow() {
        long beganNs = System.nanoTime();
        Version read = database.version();
        return database.isShared()
                ? read
                : known.updateAndGet(before -> new Known(before.version().latest(read), beganNs)).version();
    }

    /// Has the version read from the database before it is relied upon again.
    void forget() {
        known.updateAndGet(before -> new Known(before.version(), longAgo()));
    }

    /// Learns of animals that this process has added, before anybody is told that they are.
    void reached(long lastId) {
        known.updateAndGet(before -> new Known(before.version().reaching(lastId), before.readNs()));
    }

    @Override
    public void close() {
        readings.close();
    }
}
