package petstore.app;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.FolderLock;

/// The store of a command or service.
///
/// Errors: [petstore.CommandFailure] if it cannot be opened.
public sealed interface StoreChoice permits EmbeddedStore, PostgresStore {

    /// Returns the policy for an older schema.
    SchemaPolicy migrate();

    /// Returns true if opening it to write creates a missing store.
    boolean creates();

    /// Returns the value of the option that chooses it, without a password.
    String place();

    /// Returns the option that chooses it, for a command line.
    String option();

    /// Opens the store for a command.
    SqlStore open(StoreAccess access);

    /// Opens the store for a command that changes it.
    default SqlStore open() {
        return open(creates() ? StoreAccess.CREATE : StoreAccess.CHANGE);
    }

    /// Opens the store for a command that reads it. It must exist.
    default SqlStore openToRead() {
        return existing().open(StoreAccess.READ);
    }

    /// Returns the choice of the same store, which must exist. A database is asked when it is opened.
    StoreChoice existing();

    /// Returns true if the store exists.
    boolean exists();

    /// Removes a new store to which nothing was added, unless another process uses it. Returns the place of an empty store that stays;
    /// absent if there is none.
    Optional<String> removeEmpty();

    /// Locks the store for a change; null if it needs no lock.
    @Nullable
    FolderLock lockToChange();

    /// Locks the store exclusively; null if it needs no lock.
    @Nullable
    FolderLock lockToReplace();

    /// Locks the store to serve it; absent if it needs no lock.
    Optional<FolderLock> lockToServe();

    /// Throws if the file to write is part of the store.
    void requireOther(Path file);

    /// Opens the store to serve it.
    ///
    /// @param readers the maximum number of concurrent reads of a database
    /// @param wait the time to wait for a database that cannot commit
    /// @param waiting true during that time
    /// @param onLostDisk called if the disk of the embedded store loses data
    SqlStore serve(int readers, Duration wait, AtomicBoolean waiting, Runnable onLostDisk, MeterRegistry meters);

    /// Returns true if the store has neither animals nor keys, and never had animals.
    default boolean isEmpty() {
        try (SqlStore store = existing().open()) {
            return store.catalogue().lastId() == 0 && store.keys().list().isEmpty();
        }
    }
}
