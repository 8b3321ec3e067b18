package petstore.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import petstore.app.EmbeddedStore;
import petstore.app.PostgresStore;
import petstore.app.StoreChoice;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.Sqlite;

/// The store for the folder of a test: the embedded database in the folder or, with `-Dpetstore.store=postgresql`, a PostgreSQL
/// database for this folder alone.
public final class TestStore {

    private static final Map<Path, String> DATABASES = new ConcurrentHashMap<>();

    private TestStore() {
    }

    /// Opens the store, like another process.
    public static SqlStore open(Path folder) {
        return database(folder).map(uri -> SqlStore.of(Postgres.forCommand(uri, SchemaPolicy.AUTO, StoreAccess.CREATE)))
                .orElseGet(() -> SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE)));
    }

    /// Serves a PostgreSQL database, like a replica, for which it waits two minutes.
    public static SqlStore serve(String url) {
        return new SqlStore(Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 4, Duration.ofMinutes(2),
                new AtomicBoolean()), new SimpleMeterRegistry());
    }

    /// Runs a statement in the store, without the program.
    public static void execute(Path folder, String sql) {
        Optional<String> url = url(folder);
        if (url.isPresent()) {
            PostgresServer.query(url.get(), sql);
        } else {
            try (StoreFile file = new StoreFile(folder)) {
                file.execute(sql);
            }
        }
    }

    /// Returns the PostgreSQL database for the folder; absent if the store is embedded.
    public static Optional<PostgresUri> database(Path folder) {
        return url(folder).map(PostgresUri::parse);
    }

    /// Returns the choice of the store.
    public static StoreChoice choice(Path folder) {
        return database(folder).<StoreChoice>map(uri -> new PostgresStore(uri, SchemaPolicy.AUTO))
                .orElseGet(() -> new EmbeddedStore(folder, SchemaPolicy.AUTO));
    }

    /// Returns the command line arguments for the store.
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
