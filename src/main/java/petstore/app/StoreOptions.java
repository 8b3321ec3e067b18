package petstore.app;

import java.nio.file.Path;

import petstore.Failure;
import petstore.sql.SqlStore;
import picocli.CommandLine.Option;

/// Which store a command works on.
final class StoreOptions {

    @Option(names = "--data", defaultValue = "./data", paramLabel = "FOLDER", description = "Folder of the embedded store.")
    private Path data;

    Path folder() {
        return data;
    }

    /// Opens the store, making it when there is none.
    SqlStore open() {
        return SqlStore.openSqlite(data, () -> {
        });
    }

    /// Opens the store. Errors: [Failure] when there is none.
    SqlStore openExisting() {
        requireExisting();
        return open();
    }

    /// Does nothing when there is a store. Errors: [Failure] when there is none.
    void requireExisting() {
        if (!SqlStore.hasSqlite(data)) {
            throw Failure.unavailable(
                    "there is no store in " + data + "; 'petstore serve' or 'petstore keys create' makes one");
        }
    }
}
