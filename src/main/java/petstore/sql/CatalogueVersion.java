package petstore.sql;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.Version;

/// What this process knows of the catalogue's version. Only a process that does not share its database may rely on it, and asks
/// again twice a second, for what commands have added.
final class CatalogueVersion implements AutoCloseable {

    private static final String READ = "SELECT last_id, put_backs FROM catalogue_version";
    private static final Duration KNOWN_FOR = Duration.ofMillis(500);

    /// @param readNs when it was read from the database, by [System#nanoTime]
    private record Known(Version version, long readNs) {
    }

    private final Database database;
    private final Batcher<Boolean, Version> readings;
    private final AtomicReference<Known> known = new AtomicReference<>(new Known(new Version(0, 0), longAgo()));

    CatalogueVersion(Database database, MeterRegistry meters) {
        this.database = database;
        this.readings = new Batcher<>("catalogue-version", 1, database.patience(),
                requests -> Collections.nCopies(requests.size(), readNow()), meters);
    }

    private static long longAgo() {
        return System.nanoTime() - KNOWN_FOR.toNanos() - 1;
    }

    /// The version as the database has it, read after this was called, once for all that wait.
    Version read() {
        return readings.await(true);
    }

    private Version readNow() {
        long beganNs = System.nanoTime();
        Version read = database.readAside(
                session -> Session.rows(session.prepare(READ), row -> new Version(row.getLong(1), row.getLong(2))))
                .getFirst();
        return known.updateAndGet(before -> new Known(before.version().latest(read), beganNs)).version();
    }

    /// The version without asking the database; absent when it may have moved on.
    Optional<Version> known() {
        Known now = known.get();
        return database.isShared() || System.nanoTime() - now.readNs() > KNOWN_FOR.toNanos()
                ? Optional.empty()
                : Optional.of(now.version());
    }

    /// Has the version read from the database before it is relied upon again.
    void forget() {
        known.updateAndGet(before -> new Known(before.version(), longAgo()));
    }

    /// Learns of animals that this process has added, before anybody is told that they are.
    void reached(Version version) {
        known.updateAndGet(before -> new Known(before.version().latest(version), before.readNs()));
    }

    @Override
    public void close() {
        readings.close();
    }
}
