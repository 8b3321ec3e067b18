package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.SafeText;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.FolderLock;
import petstore.store.sqlite.ReplacedStore;
import petstore.store.sqlite.Sqlite;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.StoreFiles;

/// The embedded store in a folder.
public record EmbeddedStore(Path folder, SchemaPolicy migrate, boolean creates) implements StoreChoice {

    /// The logger of the choice, so that all its log lines have one name.
    private static final Logger LOG = LoggerFactory.getLogger(StoreChoice.class);

    /// A choice that creates a missing store.
    public EmbeddedStore(Path folder, SchemaPolicy migrate) {
        this(folder, migrate, true);
    }

    /// Returns the absolute path of the folder.
    @Override
    public String place() {
        return place(folder);
    }

    private static String place(Path folder) {
        return folder.toAbsolutePath().normalize().toString();
    }

    @Override
    public String option() {
        return "--data " + SafeText.word(place());
    }

    @Override
    public SqlStore open(StoreAccess access) {
        return logged(() -> SqlStore.of(Sqlite.forCommand(folder, migrate, access != StoreAccess.READ)));
    }

    @Override
    public SqlStore serve(int readers, Duration wait, AtomicBoolean waiting, Runnable onLostDisk,
            MeterRegistry meters) {
        return logged(() -> new SqlStore(Sqlite.forService(folder, migrate, onLostDisk), meters));
    }

    /// Opens the store. Logs the creation of a new one, because the folder may be a typo.
    private SqlStore logged(Supplier<SqlStore> open) {
        boolean isNew = !SqliteFile.exists(folder);
        SqlStore store = open.get();
        if (isNew) {
            LOG.info("created a new store in {}", place());
        }
        return store;
    }

    @Override
    public EmbeddedStore existing() {
        requireExisting(folder);
        return new EmbeddedStore(folder, migrate, false);
    }

    /// Throws a [CommandFailure] if there is no store in `folder`. Repairs it if a `restore` was killed.
    public static void requireExisting(Path folder) {
        if (!exists(folder)) {
            throw new CommandFailure("there is no store in " + place(folder) + "; '" + SafeText.command("serve")
                    + "' or '" + SafeText.command("keys create") + "' makes one");
        }
    }

    @Override
    public boolean exists() {
        return exists(folder);
    }

    private static boolean exists(Path folder) {
        if (ReplacedStore.isUnfinished(folder)) {
            FolderLock.change(folder).close();
        }
        return SqliteFile.exists(folder);
    }

    @Override
    public Optional<String> removeEmpty() {
        try (FolderLock _ = lockToReplace()) {
            if (isEmpty()) {
                SqliteFile.delete(folder);
            }
        } catch (Failure | CommandFailure e) {
            LOG.debug("the store stays", e);
        }
        return Optional.empty();
    }

    @Override
    public FolderLock lockToChange() {
        return FolderLock.change(folder);
    }

    @Override
    public FolderLock lockToReplace() {
        return FolderLock.replace(folder);
    }

    @Override
    public Optional<FolderLock> lockToServe() {
        return Optional.of(FolderLock.serve(folder));
    }

    @Override
    public void requireOther(Path file) {
        Path parent = file.toAbsolutePath().resolveSibling(".");
        try {
            if (StoreFiles.isReserved(file.getFileName().toString()) && Files.isDirectory(parent)
                    && Files.isDirectory(folder) && Files.isSameFile(parent, folder)) {
                throw new CommandFailure(file + " is a part of the store; give the file another name");
            }
        } catch (IOException e) {
            throw CommandFailure.of(file + " cannot be written", e);
        }
    }
}
