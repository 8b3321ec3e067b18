package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Closer;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.FreePort;
import petstore.testkit.LogLines;
import petstore.testkit.PgBouncer;
import petstore.testkit.PostgresServer;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/// A database behind a real PgBouncer. The store needs session pooling, and refuses other modes with a message that says so.
@Timeout(120)
class PgBouncerTest {

    private static final String REFUSAL = "no server connection of its own";
    /// The service notices within three seconds; a busy machine may need three more.
    private static final Duration LIMIT = Duration.ofSeconds(3 + 3);
    private static final int CLIENTS = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String database = PostgresServer.newDatabase();
    @TempDir
    private Path folder;

    @BeforeAll
    static void requirePgBouncer() {
        assumeTrue(PgBouncer.program().isPresent(), "left out: pgbouncer is not installed");
    }

    @Test
    void servesWithSessionPooling() throws IOException {
        try (PgBouncer pooler = new PgBouncer(folder, database, "session");
                SqlStore store = TestStore.serve(pooler.url())) {
            Pet pet = AbstractCatalogueTest.added(store.catalogue(), pet("Rex"));
            assertThat(
                    AbstractCatalogueTest.list(store.catalogue(), new PetQuery(20, Optional.empty(), 0)).pets())
                    .containsExactly(pet);
            assertThatCode(store::check).doesNotThrowAnyException();
        }
        try (PgBouncer pooler = new PgBouncer(folder, database, "session");
                SqlStore store = openForCommand(pooler, true)) {
            assertThat(store.catalogue().count()).isEqualTo(1);
        }
    }

    /// It ignores the `options` of the address.
    @Test
    void usesSchemaOfAddress() throws IOException {
        PostgresServer.query(database, "CREATE SCHEMA other");
        try (PgBouncer pooler = new PgBouncer(folder, database, "session")) {
            openForCommand(pooler, true).close();
            for (String options : List.of("-csearch_path%3Dother", "-c%20search_path%3Dpublic%20--search-path%3Dother",
                    "--SEARCH_PATH%3Dother,%5C%20public")) {
                Postgres.forCommand(PostgresUri.parse(pooler.url() + "?options=" + options), SchemaPolicy.AUTO,
                        StoreAccess.CREATE).close();
            }
        }
        assertThat(PostgresServer.query(database, "SELECT schemaname FROM pg_tables WHERE tablename = 'pet'"))
                .containsExactlyInAnyOrder("public", "other");
    }

    @Test
    void namesSettingForOptionsOfAddress() throws IOException {
        try (PgBouncer pooler = new PgBouncer(folder, database, "session")) {
            pooler.refuseOptions();
            assertThatThrownBy(() -> Postgres.forCommand(
                    PostgresUri.parse(pooler.url() + "?options=-csearch_path%3Dother"), SchemaPolicy.AUTO,
                    StoreAccess.CREATE)).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("add options to ignore_startup_parameters of PgBouncer");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"transaction", "statement"})
    void refusesOtherPoolModesAtStart(String poolMode) throws IOException {
        try (PgBouncer pooler = new PgBouncer(folder, database, poolMode)) {
            assertThatThrownBy(() -> TestStore.serve(pooler.url())).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining(REFUSAL);
            for (boolean toWrite : new boolean[]{true, false}) {
                assertThatThrownBy(() -> openForCommand(pooler, toWrite)).isInstanceOf(CommandFailure.class)
                        .hasMessageContaining(REFUSAL);
            }
        }
    }

    @Test
    void waitsForServer() throws IOException {
        try (PgBouncer pooler = new PgBouncer(folder, database.replaceFirst(":[0-9]+/", ":" + FreePort.find() + "/"),
                "session")) {
            waits(pooler, "No response in time", () -> pooler.moveTo(database));
        }
    }

    /// Version 1.18 has the SQLSTATE of a broken protocol for all its errors and those of its server.
    @Test
    void waitsForErrorOfServer() throws IOException {
        String missing = database + "_missing";
        try (PgBouncer pooler = new PgBouncer(folder, missing, "session")) {
            waits(pooler, "FATAL: ", () -> PostgresServer
                    .execute("CREATE DATABASE " + missing.substring(missing.lastIndexOf('/') + 1)));
        }
    }

    @Test
    void waitsForFreeConnection() throws IOException, SQLException {
        try (PgBouncer pooler = new PgBouncer(folder, database, "session")) {
            pooler.setPoolSize(2);
            PostgresUri address = PostgresUri.parse(pooler.url());
            try (PostgresSession one = PostgresConnector.open(address, PostgresConnector.Timeouts.WATCH);
                    PostgresSession two = PostgresConnector.open(address, PostgresConnector.Timeouts.WATCH)) {
                waits(pooler, "a pooler may have no free connection", () -> Closer.closeAll(one, two));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"md5, postgres:wrong, shop", "md5, nobody:wrong, shop", "md5, postgres:postgres, missing",
            "scram-sha-256, postgres:wrong, shop", "scram-sha-256, nobody:wrong, shop",
            "scram-sha-256, postgres:postgres, missing"})
    void endsAtOnce(String authentication, String user, String name) throws IOException {
        try (PgBouncer pooler = new PgBouncer(folder, database, "session");
                LogLines log = new LogLines("petstore.store")) {
            pooler.setAuthentication(authentication);
            boolean missing = name.equals("missing");
            PostgresUri address = PostgresUri
                    .parse(pooler.url().replace("postgres@", user + "@") + (missing ? "_missing" : ""));
            String reason = missing ? "make it with createdb" : "comes from PETSTORE_DATABASE_PASSWORD";
            assertThatThrownBy(() -> Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.READ))
                    .isInstanceOf(CommandFailure.class).hasMessageContaining(reason);
            assertThatThrownBy(
                    () -> Postgres.forService(address, SchemaPolicy.AUTO, 1, PATIENCE, new AtomicBoolean()))
                    .isInstanceOf(CommandFailure.class).hasMessageContaining(reason);
            assertThat(log.with("waiting")).isEmpty();
            assertThat(PostgresInspection.of(address)).singleElement().matches(host -> !host.passing())
                    .matches(host -> host.problem().contains(reason));
        }
    }

    /// Asserts that a command waits with a reason, which `doctor` has, too, until an event.
    private static void waits(PgBouncer pooler, String reason, Runnable event) {
        try (LogLines log = new LogLines("petstore.store")) {
            CompletableFuture<Void> opening = CompletableFuture.runAsync(() -> openForCommand(pooler, true).close(),
                    task -> Thread.ofPlatform().daemon().start(task));
            await("a line").atMost(PATIENCE).until(() -> !log.with("waiting for the database: ").isEmpty());
            await(reason).atMost(PATIENCE).until(() -> PostgresInspection.of(PostgresUri.parse(pooler.url())),
                    hosts -> hosts.getFirst().passing() && hosts.getFirst().problem().contains(reason));
            assertThat(opening).isNotDone();
            event.run();
            assertThat(opening).succeedsWithin(PATIENCE);
        }
    }

    @ParameterizedTest
    @CsvSource({"transaction, false", "statement, false", "transaction, true", "statement, true"})
    void losesNoAnimalIfPoolModeChangesAtRuntime(String poolMode, boolean killSessions) throws Exception {
        BiConsumer<PgBouncer, String> setPoolMode = killSessions ? PgBouncer::reloadAndKill : PgBouncer::reload;
        Map<Long, String> added = new ConcurrentHashMap<>();
        List<Long> ids = new ArrayList<>();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger attempts = new AtomicInteger();
        try (PgBouncer pooler = new PgBouncer(folder, database, "session");
                SqlStore store = TestStore.serve(pooler.url());
                LogLines log = new LogLines("petstore.store");
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
                AutoCloseable _ = () -> stop.set(true)) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.execute(() -> {
                    while (!stop.get()) {
                        String name = "animal " + attempts.incrementAndGet();
                        try {
                            Pet pet = AbstractCatalogueTest.adding(store.catalogue(), pet(name)).join();
                            added.put(pet.id(), name);
                            synchronized (ids) {
                                ids.add(pet.id());
                            }
                        } catch (CompletionException e) {
                            // The animal was refused, or its outcome is unknown. Without a pause, refusals keep a processor busy.
                            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                        }
                    }
                });
            }
            await("animals").atMost(LIMIT).until(() -> added.size() > 100);
            setPoolMode.accept(pooler, poolMode);
            awaitRefusal(store);
            assertThatThrownBy(() -> AbstractCatalogueTest.adding(store.catalogue(), pet("one more")).join()).cause()
                    .asInstanceOf(type(Failure.class)).extracting(Failure::explanation).asString().contains(REFUSAL);
            // By chance, each session can get the same server connection for a while, which ends the outage.
            await("one line an outage").atMost(LIMIT).untilAsserted(() -> assertThat(log.with(REFUSAL))
                    .hasSize(1 + log.with("the database can be used again").size()));
            setPoolMode.accept(pooler, "session");
            await("session pooling").atMost(LIMIT)
                    .untilAsserted(() -> assertThatCode(store::check).doesNotThrowAnyException());
            int before = added.size();
            await("more animals").atMost(LIMIT).until(() -> added.size() > before);
        }
        assertThat(new HashSet<>(ids)).as("each id is returned once").hasSameSizeAs(ids);
        assertThat(PostgresServer.query(database, "SELECT id || ' ' || name FROM pet"))
                .containsAll(added.entrySet().stream().map(pet -> pet.getKey() + " " + pet.getValue()).toList());
    }

    /// Without requests, each session could get the same server connection every time, and notice nothing.
    @ParameterizedTest
    @ValueSource(strings = {"transaction", "statement"})
    void noticesPoolModeChangeWhileIdle(String poolMode) throws IOException {
        try (PgBouncer pooler = new PgBouncer(folder, database, "session");
                SqlStore store = TestStore.serve(pooler.url())) {
            pooler.reload(poolMode);
            awaitRefusal(store);
        }
    }

    private static void awaitRefusal(SqlStore store) {
        await("a refusal").atMost(LIMIT)
                .untilAsserted(() -> assertThatThrownBy(store::check).asInstanceOf(type(Failure.class))
                        .extracting(Failure::explanation)
                        .asString().contains(REFUSAL));
    }

    private static NewPet pet(String name) {
        return new NewPet(name, 1, Optional.empty());
    }

    private static SqlStore openForCommand(PgBouncer pooler, boolean toWrite) {
        return SqlStore.of(Postgres.forCommand(PostgresUri.parse(pooler.url()), SchemaPolicy.AUTO,
                toWrite ? StoreAccess.CREATE : StoreAccess.READ));
    }
}
