package petstore.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.Sqlite;

/// The store that stands behind a test's folder: the embedded one in it, or, with `-Dpetstore.store=postgresql`, a
/// database of its own.
public final class TestStore {

    private static final Map<Path, String> DATABASES = new ConcurrentHashMap<>();

    private TestStore() {
    }

    /// Opens the store, as another process would.
    public static SqlStore open(Path folder) {
        return database(folder).map(uri -> SqlStore.of(Postgres.forCommand(uri, SchemaPolicy.AUTO, true)))
                .orElseGet(() -> SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, true)));
    }

    /// The database that stands for the folder, if one does.
    public static Optional<PostgresUri> database(Path folder) {
        return url(folder).map(PostgresUri::parse);
    }

    /// Returns the arguments of a command line that name the store.
    public static List<String> arguments(Path folder) {
        return url(folder).map(url -> List.of("--database", url))
                .orElseGet(() -> List.of("--data", folder.toString()));
    }

    private static Optional<String> url(Path folder) {
        return System.getProperty("petstore.store", "sqlite").equals("postgresql")
                ? Optional.of(DATABASES.computeIfAbsent(folder, _ -> PostgresServer.newDatabase()))
                : Optional.empty();
    }
}
