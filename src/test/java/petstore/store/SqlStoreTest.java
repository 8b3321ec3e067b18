package petstore.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Failure;
import petstore.NewPet;
import petstore.PetQuery;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.AbstractCatalogueTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/// A store that is closed while it is in use.
class SqlStoreTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final PetQuery FIRST_PAGE = new PetQuery(PetQuery.MAX_LIMIT, Optional.empty(), 0);
    private static final int CLIENTS = 32;

    @TempDir
    private Path folder;

    @Test
    void refusesOperationsOnceClosed() {
        SqlStore store = open();
        store.close();
        assertTimeoutPreemptively(PATIENCE, () -> {
            assertUnavailable(() -> AbstractCatalogueTest.list(store.catalogue(), FIRST_PAGE));
            assertUnavailable(() -> AbstractCatalogueTest.awaited(store.catalogue().find(1)));
            assertUnavailable(
                    () -> AbstractCatalogueTest
                            .added(store.catalogue(), new NewPet("Whiskers", 7, Optional.empty())));
            assertUnavailable(() -> store.keys().list());
            assertUnavailable(store::check);
        });
    }

    @Test
    void completesAllRequestsDuringClose() {
        for (int i = 0; i < 5; i++) {
            assertTimeoutPreemptively(PATIENCE, this::closeUnderLoad);
        }
    }

    private void closeUnderLoad() throws Exception {
        Set<Long> added = ConcurrentHashMap.newKeySet();
        CountDownLatch busy = new CountDownLatch(CLIENTS);
        SqlStore store = open();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> useUntilClosed(store, added, busy)));
            }
            busy.await();
            store.close();
            for (Future<?> client : clients) {
                client.get();
            }
        }
        try (SqlStore reopened = open()) {
            assertThat(added).allMatch(id -> AbstractCatalogueTest.awaited(reopened.catalogue().find(id)).isPresent());
        }
    }

    private static void useUntilClosed(SqlStore store, Set<Long> added, CountDownLatch busy) {
        try {
            while (true) {
                added.add(
                        AbstractCatalogueTest
                                .added(store.catalogue(), new NewPet("Whiskers", 7, Optional.empty())).id());
                AbstractCatalogueTest.list(store.catalogue(), FIRST_PAGE);
                busy.countDown();
            }
        } catch (Failure e) {
            assertThat(e.kind()).isEqualTo(Failure.Kind.UNAVAILABLE);
        }
    }

    private SqlStore open() {
        return new SqlStore(Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
        }), new SimpleMeterRegistry());
    }

    private static void assertUnavailable(Runnable operation) {
        assertThatThrownBy(operation::run).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE));
    }
}
