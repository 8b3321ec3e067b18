package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import petstore.CommandFailure;
import petstore.SafeText;
import petstore.store.Database;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.Sqlite;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.StoreFiles;

/// The embedded store in a folder.
public record EmbeddedStore(Path folder, SchemaPolicy migrate) implements StoreChoice {

    /// Returns the absolute path of the folder.
    @Override
    public String place() {
        return folder.toAbsolutePath().normalize().toString();
    }

    @Override
    public String option() {
        return "--data " + SafeText.word(place());
    }

    @Override
    public SqlStore open(StoreAccess access) {
        if (!access.creates()) {
            requireExisting();
        }
        return SqlStore.of(logged(() -> Sqlite.forCommand(folder, migrate, access)));
    }

    @Override
    public Database serve(int readers, Duration wait, AtomicBoolean waiting, Runnable onLostDisk) {
        return logged(() -> Sqlite.forService(folder, migrate, onLostDisk));
    }

    /// Opens the store. Logs the creation of a new one, because the folder may be a typo.
    private Database logged(Supplier<Database> open) {
        boolean isNew = !SqliteFile.exists(folder);
        Database database = open.get();
        if (isNew) {
            LOG.info("created a new store in {}", place());
        }
        return database;
    }

    @Override
    public void requireExisting() {
        if (!exists()) {
            throw new CommandFailure("there is no store in " + place() + "; '" + SafeText.command("serve")
                    + "' or '" + SafeText.command("keys create") + "' makes one");
        }
    }

    @Override
    public boolean exists() {
        return SqliteFile.exists(folder);
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
