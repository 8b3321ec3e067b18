package petstore.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import petstore.CatalogueVersion;

/// The version of the catalogue that this process knows. It is used only if no other process serves the database, and for at most a
/// second, because commands and SQL change the catalogue, too.
public final class KnownVersion {

    private static final Duration KNOWN_FOR = Duration.ofSeconds(1);

    /// @param readNs the time when it was read from the database, by [System#nanoTime]
    private record Known(CatalogueVersion version, long readNs) {
    }

    private final Database database;
    /// Initially too old to be used.
    private final AtomicReference<Known> known = new AtomicReference<>(
            new Known(new CatalogueVersion(0, 0), System.nanoTime() - KNOWN_FOR.toNanos() - 1));

    KnownVersion(Database database) {
        this.database = database;
    }

    /// Returns the version of a store. Its epoch is the number of changes by SQL.
    public static CatalogueVersion read(Session session) throws SQLException {
        return session.onlyRow("pet_id or pet_change", "SELECT changes, last_id FROM catalogue_version",
                row -> new CatalogueVersion(row.getLong(1), row.getLong(2)));
    }

    /// Returns the version; absent if only the database can tell.
    Optional<CatalogueVersion> find() {
        Known last = known.get();
        boolean relied = !database.traits().isShared() && System.nanoTime() - last.readNs() <= KNOWN_FOR.toNanos();
        return relied ? Optional.of(last.version()) : Optional.empty();
    }

    /// Returns true if the version is too old to be used, until [#refresh]. The version of a shared database is never used.
    boolean isExpired() {
        return !database.traits().isShared() && find().isEmpty();
    }

    /// Reads the version from the database. Blocks.
    CatalogueVersion refresh() {
        long beganNs = System.nanoTime();
        CatalogueVersion read = database.watch().version();
        return database.traits().isShared()
                ? read
                : known.updateAndGet(before -> new Known(before.version().max(read), beganNs)).version();
    }

    /// Records the greatest id that this process has added; called before its client gets the response.
    void reached(long lastId) {
        known.updateAndGet(before -> new Known(new CatalogueVersion(before.version().epoch(),
                Math.max(before.version().lastId(), lastId)), before.readNs()));
    }
}
