package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.SafeText;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.FolderLock;
import petstore.store.sqlite.ReplacedStore;
import petstore.store.sqlite.Sqlite;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.StoreFiles;

/// The store of a command or service.
///
/// @param folder the folder of the embedded store
/// @param database the PostgreSQL database to use instead
/// @param migrate the policy for an older schema
/// @param creates true if opening it to write creates a missing store
public record StoreChoice(Path folder, Optional<PostgresUri> database, SchemaPolicy migrate, boolean creates) {

    private static final Logger LOG = LoggerFactory.getLogger(StoreChoice.class);

    /// A choice that creates a missing store.
    public StoreChoice(Path folder, Optional<PostgresUri> database, SchemaPolicy migrate) {
        this(folder, database, migrate, true);
    }

    /// Returns the absolute path of the folder, for messages.
    public Path absoluteFolder() {
        return folder.toAbsolutePath().normalize();
    }

    /// Opens the store for a command that changes it.
    public SqlStore open() {
        return open(creates ? StoreAccess.CREATE : StoreAccess.CHANGE);
    }

    /// Opens the store for a command that reads it. Errors: [Failure] if there is none.
    public SqlStore openToRead() {
        return existing().open(StoreAccess.READ);
    }

    private SqlStore open(StoreAccess access) {
        return database.map(uri -> SqlStore.of(Postgres.forCommand(uri, migrate, access)))
                .orElseGet(() -> embedded(
                        () -> SqlStore.of(Sqlite.forCommand(folder, migrate, access != StoreAccess.READ))));
    }

    /// Returns the choice of the same store, which must exist. Errors: as for [#requireEmbedded]. A database is asked when it is opened.
    public StoreChoice existing() {
        if (database.isEmpty()) {
            requireEmbedded(folder);
        }
        return new StoreChoice(folder, database, migrate, false);
    }

    /// Removes a new embedded store to which nothing was added, unless another process uses it. Returns the place of an empty store in
    /// a database, which stays; absent if there is none.
    public Optional<String> removeEmpty() {
        try (@Nullable
        FolderLock _ = lockToReplace()) {
            if (isEmpty()) {
                if (database.isPresent()) {
                    return database.map(Postgres::place);
                }
                SqliteFile.delete(folder);
            }
        } catch (Failure | CommandFailure e) {
            LOG.debug("the store stays", e);
        }
        return Optional.empty();
    }

    private boolean isEmpty() {
        try (SqlStore store = existing().open()) {
            return store.catalogue().lastId() == 0 && store.keys().list().isEmpty();
        }
    }

    /// Locks the embedded store for a change; null for a database. Errors: as for [FolderLock#change].
    @Nullable
    public FolderLock lockToChange() {
        return database.isPresent() ? null : FolderLock.change(folder);
    }

    /// Locks the embedded store exclusively; null for a database. Errors: as for [FolderLock#replace].
    @Nullable
    public FolderLock lockToReplace() {
        return database.isPresent() ? null : FolderLock.replace(folder);
    }

    /// Opens the store to serve it. The waits are those of [Postgres#forService].
    ///
    /// @param readers the maximum number of concurrent reads of a database
    /// @param onLostDisk called if the disk of the embedded store loses data
    SqlStore serve(int readers, Duration wait, AtomicBoolean waiting, Runnable onLostDisk, MeterRegistry meters) {
        return database.map(uri -> new SqlStore(Postgres.forService(uri, migrate, readers, wait, waiting), meters))
                .orElseGet(() -> embedded(() -> new SqlStore(Sqlite.forService(folder, migrate, onLostDisk), meters)));
    }

    /// Opens the embedded store. Logs the creation of a new one, because the folder may be a typo.
    private SqlStore embedded(Supplier<SqlStore> open) {
        boolean isNew = !SqliteFile.exists(folder);
        SqlStore store = open.get();
        if (isNew) {
            LOG.info("created a new store in {}", absoluteFolder());
        }
        return store;
    }

    /// Returns true if the store exists. Errors: [Failure] if the folder cannot be read, or the database cannot be used.
    public boolean exists() {
        return database.map(Postgres::hasStore).orElseGet(() -> exists(folder));
    }

    /// Repairs the store first if a `restore` was killed.
    private static boolean exists(Path folder) {
        if (ReplacedStore.isUnfinished(folder)) {
            FolderLock.change(folder).close();
        }
        return SqliteFile.exists(folder);
    }

    /// Throws a [Failure] if the file to write is part of the embedded store.
    public void requireOther(Path file) {
        Path parent = file.toAbsolutePath().resolveSibling(".");
        try {
            if (database.isEmpty() && StoreFiles.isReserved(file.getFileName().toString()) && Files.isDirectory(parent)
                    && Files.isDirectory(folder) && Files.isSameFile(parent, folder)) {
                throw new CommandFailure(file + " is a part of the store; give the file another name");
            }
        } catch (IOException e) {
            throw CommandFailure.of(file + " cannot be written", e);
        }
    }

    /// Throws a [Failure] if there is no embedded store in `folder`. Repairs it if a `restore` was killed.
    public static void requireEmbedded(Path folder) {
        if (!exists(folder)) {
            throw new CommandFailure("there is no store in " + folder.toAbsolutePath().normalize() + "; '"
                    + SafeText.command("serve") + "' or '" + SafeText.command("keys create") + "' makes one");
        }
    }
}
