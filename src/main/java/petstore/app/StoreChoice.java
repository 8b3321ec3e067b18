package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.postgres.DatabaseWait;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.FolderLock;
import petstore.store.sqlite.ReplacedStore;
import petstore.store.sqlite.Sqlite;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.StoreFiles;

/// Which store to work on.
///
/// @param folder where the embedded store is
/// @param database the PostgreSQL database to use instead of it
/// @param migrate what is done about an older schema
public record StoreChoice(Path folder, Optional<PostgresUri> database, SchemaPolicy migrate) {

    private static final Logger LOG = LoggerFactory.getLogger(StoreChoice.class);

    /// Opens the store for a command that changes it, making it when there is none.
    public SqlStore open() {
        return open(true);
    }

    /// Opens the store for a command that only reads.
    public SqlStore openToRead() {
        return open(false);
    }

    private SqlStore open(boolean toWrite) {
        return database.map(uri -> SqlStore.of(Postgres.forCommand(uri, migrate, toWrite)))
                .orElseGet(() -> embedded(() -> toWrite
                        ? SqlStore.of(Sqlite.forCommand(folder, migrate, true))
                        : SqlStore.of(Sqlite.forCommand(folder, migrate, false))));
    }

    /// This choice. Errors: [Failure] when there is no such store.
    public StoreChoice existing() {
        if (database.isEmpty()) {
            requireEmbedded(folder);
        }
        return this;
    }

    /// Takes the right to change the embedded store; absent for a database, which nothing replaces. Errors: as for
    /// [FolderLock#change].
    @Nullable
    public FolderLock lockToChange() {
        return database.isPresent() ? null : FolderLock.change(folder);
    }

    /// Takes the right to change the embedded store alone; absent for a database. Errors: as for [FolderLock#replace].
    @Nullable
    public FolderLock lockToReplace() {
        return database.isPresent() ? null : FolderLock.replace(folder);
    }

    /// Opens the store to serve it.
    ///
    /// @param readers how many requests may read from a database at once
    /// @param wait how long to wait for a database that cannot commit
    /// @param onLostDisk called when the disk of the embedded store fails to keep what it was given
    /// @param meters where the store's measurements are kept
    SqlStore serve(int readers, DatabaseWait wait, Runnable onLostDisk, MeterRegistry meters) {
        return database.map(uri -> new SqlStore(Postgres.forService(uri, migrate, readers, wait), meters))
                .orElseGet(() -> embedded(() -> new SqlStore(Sqlite.forService(folder, migrate, onLostDisk), meters)));
    }

    /// Opens the embedded store, and says so if that makes a new one: the folder may have been mistyped.
    private SqlStore embedded(Supplier<SqlStore> open) {
        boolean isNew = !SqliteFile.exists(folder);
        SqlStore store = open.get();
        if (isNew) {
            LOG.info("a new store was made in {}", absolute(folder));
        }
        return store;
    }

    private static Path absolute(Path folder) {
        return folder.toAbsolutePath().normalize();
    }

    /// Whether there is an embedded store, or a database is used instead of it. Errors: [Failure] when that cannot be told.
    public boolean exists() {
        return database.isPresent() || SqliteFile.exists(folder);
    }

    /// Does nothing when a file that is to be written is none of the embedded store's own. Errors: [Failure] when it is one.
    public void requireOther(Path file) {
        Path parent = file.toAbsolutePath().resolveSibling(".");
        try {
            if (database.isEmpty() && StoreFiles.isReserved(file.getFileName().toString()) && Files.isDirectory(parent)
                    && Files.isDirectory(folder) && Files.isSameFile(parent, folder)) {
                throw Failure.unavailable(file + " is a part of the store; give the file another name");
            }
        } catch (IOException e) {
            throw Failure.unavailable(file + " cannot be written", e);
        }
    }

    /// Checks that there is an embedded store in `folder`, and repairs it if a `restore` was killed. Errors: [Failure] if there is
    /// none, or that cannot be told.
    public static void requireEmbedded(Path folder) {
        if (ReplacedStore.isUnfinished(folder)) {
            FolderLock.change(folder).close();
        }
        if (!SqliteFile.exists(folder)) {
            throw Failure.unavailable("there is no store in " + absolute(folder)
                    + "; 'petstore serve' or 'petstore keys create' makes one");
        }
    }
}
