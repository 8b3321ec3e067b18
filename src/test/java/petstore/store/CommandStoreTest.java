package petstore.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.NewPet;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/// A store opened for a command, which uses one connection and no threads of the server.
class CommandStoreTest {

    private static final String SERVER_THREADS = "(?i).*(pool|reader|writer|store-|catalogue).*";

    @TempDir
    private Path folder;

    @Test
    void startsNoServerThreadsOnSqlite() {
        assertStartsNoServerThreads(() -> SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE)),
                () -> {
                });
    }

    @Test
    void startsNoServerThreadsAndOpensOneConnectionOnPostgresql() {
        String url = PostgresServer.newDatabase();
        assertStartsNoServerThreads(
                () -> SqlStore.of(Postgres.forCommand(PostgresUri.parse(url), SchemaPolicy.AUTO, StoreAccess.CREATE)),
                () -> assertThat(PostgresServer.query(url, "SELECT pid FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND application_name = 'petstore'")).hasSize(1));
    }

    private static void assertStartsNoServerThreads(Supplier<SqlStore> open, Runnable furtherAssertion) {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (SqlStore store = open.get()) {
            store.catalogue().addAll(List.of(new NewPet("Rex", 1, Optional.empty())));
            assertThat(store.keys().list()).isEmpty();
            AtomicInteger groups = new AtomicInteger();
            store.catalogue().forEachGroup(_ -> {
                groups.incrementAndGet();
                Set<String> started = Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> !before.contains(thread)).map(Thread::getName).collect(Collectors.toSet());
                assertThat(started).noneMatch(name -> name.matches(SERVER_THREADS));
                furtherAssertion.run();
            });
            assertThat(groups).hasPositiveValue();
        }
    }
}
