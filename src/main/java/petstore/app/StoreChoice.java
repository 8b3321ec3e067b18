package petstore.app;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.store.Database;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;

/// The store of a command or service.
///
/// Errors: [petstore.CommandFailure] if it cannot be opened.
public sealed interface StoreChoice permits EmbeddedStore, PostgresStore {

    Logger LOG = LoggerFactory.getLogger(StoreChoice.class);

    /// Returns the value of the option that chooses it, without a password.
    String place();

    /// Returns the option that chooses it, for a command line.
    String option();

    /// Opens the store for a command. A missing store is an error, unless `access` allows to create it.
    SqlStore open(StoreAccess access);

    boolean exists();

    /// Throws if the store does not exist. A database is asked only when it is opened.
    default void requireExisting() {
    }

    /// Throws if the file to write is part of the store.
    default void requireOther(Path file) {
    }

    /// Opens the database of the store to serve it.
    ///
    /// @param readers the maximum number of concurrent reads of a database
    /// @param wait the time to wait for a database that cannot commit
    /// @param waiting set to true if the start may wait for a database; the caller resets it
    /// @param onLostDisk called if the disk of the embedded store loses data
    Database serve(int readers, Duration wait, AtomicBoolean waiting, Runnable onLostDisk);
}
