package petstore.store.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.Catalogue;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.Scope;
import petstore.store.Database;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.LaterSchema;
import petstore.testkit.LogLines;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

/// The store on PostgreSQL: query plans, schemas, read-only databases, locks, isolation levels and standbys.
class PostgresTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int FEW = 20;
    private static final int MANY = 100;
    private static final NewPet REX = new NewPet("Rex", 7, Optional.empty());
    private static final List<String> GROWING = List.of("pet", "idempotency");

    private static final String CONNECTIONS = "SELECT pid FROM pg_stat_activity"
            + " WHERE datname = current_database() AND application_name = 'petstore'";

    private final String url = PostgresServer.newDatabase();

    /// A session keeps one plan for all statuses and limits.
    @Test
    void listByStatusReadsOnlyMatchingAnimals() throws SQLException {
        addRex();
        PostgresServer.query(url, """
                INSERT INTO pet (id, name, category_id, status) SELECT n, 'Rex', 1, CASE WHEN n <= 50000 THEN 'sold'
                WHEN n <= 90000 THEN 'available' ELSE 'pending' END FROM generate_series(2, 100000) AS n""");
        PostgresServer.query(url, "ANALYZE pet");
        String sql = PostgresPets.LIST_BY_STATUS;
        for (int i = 1; sql.contains("?"); i++) {
            sql = sql.replaceFirst("\\?", "\\$" + i);
        }
        try (Connection connection = PostgresServer.connect(url)) {
            PostgresServer.query(connection, "SET plan_cache_mode = force_generic_plan");
            PostgresServer.query(connection, "PREPARE list (TEXT, TEXT, BIGINT, INT) AS " + sql);
            assertThat(String.join("\n", PostgresServer.query(connection,
                    "EXPLAIN EXECUTE list ('sold', 'sold', 0, 21)"))).contains("using pet_status on pet")
                    .doesNotContain("Filter", "Sort");
        }
    }

    /// Until its first ANALYZE, PostgreSQL takes a table for small.
    @Test
    void readsNoWholeTableBeforeFirstAnalyze() {
        addRex();
        for (String table : GROWING) {
            PostgresServer.query(url, "ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
        }
        String before = wholeReads();
        try (SqlStore store = serve()) {
            for (int i = 0; i < FEW; i++) {
                List<CompletableFuture<?>> requests = new ArrayList<>();
                IdempotencyKey repeated = key();
                requests.add(store.catalogue().add(REX, Optional.of(repeated)));
                for (int n = 0; n < MANY; n++) {
                    requests.add(store.catalogue().add(REX, Optional.of(key())));
                }
                assertThat(requests).allSatisfy(request -> assertThat(request).succeedsWithin(PATIENCE));
                assertThat(store.catalogue().findAdded(repeated)).succeedsWithin(PATIENCE);
                assertThat(store.catalogue().find(i)).succeedsWithin(PATIENCE);
                for (Optional<PetStatus> status : List.of(Optional.<PetStatus>empty(), Optional.of(PetStatus.SOLD))) {
                    AbstractCatalogueTest.list(store.catalogue(), new PetQuery(FEW, status, (long) i * MANY));
                }
            }
        }
        assertThat(wholeReads()).isEqualTo(before);
    }

    /// Returns how often the tables that grow were read whole. A session counts when it ends.
    private String wholeReads() {
        await("no session").atMost(PATIENCE).until(() -> PostgresServer.query(url, CONNECTIONS).isEmpty());
        return PostgresServer.query(url, "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('"
                + String.join("', '", GROWING) + "')").getFirst();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void namesTableThatLostItsRow(boolean withKey) {
        try (SqlStore store = serve(); LogLines log = new LogLines("petstore.store")) {
            PostgresServer.query(url, "TRUNCATE pet_id, api_key_change");
            CompletableFuture<?> added = withKey
                    ? store.catalogue().add(REX, Optional.of(key()))
                    : AbstractCatalogueTest.adding(store.catalogue(), REX);
            assertThat(added).failsWithin(PATIENCE).withThrowableOfType(ExecutionException.class).havingCause()
                    .isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.explanation())
                            .startsWith(Database.UNAVAILABLE + ": localhost:")
                            .endsWith(": the table pet_id has lost its row; restore it from a backup"));
            assertThat(store.keys().refresh()).failsWithin(PATIENCE);
            await("the watch has left the database").atMost(PATIENCE).untilAsserted(() -> assertThatThrownBy(
                    store::check).asInstanceOf(type(Failure.class)).extracting(Failure::explanation)
                    .asString().contains("the table pet_id or pet_change has lost its row"));
            assertThat(log.with("pooling")).isEmpty();
            assertThatThrownBy(this::serve).hasMessageContaining("the table pet_id or pet_change has lost its row");
        }
    }

    /// The schema with the name of the user comes first in the search path.
    @Test
    void findsAndUpgradesStoreAfterAnotherSchemaIsCreated() {
        addRex();
        PostgresServer.query(url, "CREATE SCHEMA postgres");
        try (SqlStore store = open()) {
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().find(1))).isPresent();
        }
        upgrade(PATIENCE);
        for (String table : List.of("schema_version", "toy")) {
            assertThat(PostgresServer.query(url, "SELECT schemaname FROM pg_tables WHERE tablename = '" + table + "'"))
                    .containsExactly("public");
        }
    }

    /// Upgrades the store to the schema of a later version.
    private void upgrade(Duration wait) {
        boolean _ = PostgresSearch.forCommand(PostgresUri.parse(url), true, wait, host -> {
            PostgresSchema.prepare(host, LaterSchema.after(Migrations.POSTGRESQL), SchemaPolicy.AUTO,
                    StoreAccess.CHANGE);
            return true;
        });
    }

    /// An upgrade that waits for `pg_dump` must not make the reads of other replicas wait for it.
    @Test
    @Timeout(60)
    void upgradeWaitsForTableWithoutBlockingReads() throws SQLException {
        addRex();
        try (LogLines log = new LogLines("petstore.store.postgres");
                Connection connection = PostgresServer.connect(url);
                Statement dump = connection.createStatement();
                Connection replica = PostgresServer.connect(url);
                Statement read = replica.createStatement()) {
            connection.setAutoCommit(false);
            dump.execute("SELECT FROM api_key_change");
            assertThatThrownBy(() -> upgrade(Duration.ofMillis(1))).hasMessageContaining("after a wait of 0 s")
                    .hasMessageContaining("other sessions use the table");
            CompletableFuture<Void> starting = CompletableFuture.runAsync(() -> upgrade(PATIENCE),
                    task -> Thread.ofPlatform().daemon().start(task));
            await("a log line").atMost(PATIENCE).until(() -> !log.with("waiting for the database: ").isEmpty());
            read.execute("SET statement_timeout = '1s'");
            for (int i = 0; i < 3; i++) {
                await("the upgrade waits").atMost(PATIENCE)
                        .until(() -> !PostgresServer.waitingForLocks(url).isEmpty());
                read.execute("SELECT FROM api_key_change");
            }
            assertThat(starting).isNotDone();
            connection.rollback();
            assertThat(starting).succeedsWithin(PATIENCE);
        }
    }

    /// The server itself ends the statements that wait, so that their outcome is known.
    @ParameterizedTest
    @ValueSource(strings = {"LOCK TABLE pet", "LOCK TABLE pet IN SHARE MODE", "LOCK TABLE pet_id IN SHARE MODE",
            "LOCK TABLE pet_id", "UPDATE pet_id SET last_id = last_id"})
    void createsThatWaitForLockAreKnownNotToBeAdded(String lock) throws SQLException {
        try (SqlStore store = serve();
                Connection connection = PostgresServer.connect(url);
                Statement other = connection.createStatement()) {
            add(store);
            List<String> before = PostgresServer.query(url, CONNECTIONS);
            connection.setAutoCommit(false);
            other.execute(lock);
            List<CompletableFuture<Catalogue.Added>> creates = IntStream.range(0, 24)
                    .mapToObj(i -> store.catalogue().add(REX,
                            Optional.of(i).filter(n -> n % 3 == 0).map(_ -> key())))
                    .toList();
            for (CompletableFuture<Catalogue.Added> create : creates) {
                assertThat(create).failsWithin(PATIENCE).withThrowableThat().havingCause()
                        .isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.unavailability())
                                .isPresent().get().isNotIn(Failure.Unavailability.OUTCOME_UNKNOWN,
                                        Failure.Unavailability.NO_PRIMARY));
            }
            connection.rollback();
            assertThat(PostgresServer.query(url, "SELECT count(*) FROM pet")).containsExactly("1");
            assertThat(PostgresServer.query(url, CONNECTIONS)).as("no connection was lost").containsAll(before);
        }
    }

    /// That session may hang.
    @Test
    @Timeout(60)
    void waitNamesSessionThatUpgradesSchema() throws SQLException {
        try (LogLines log = new LogLines("petstore.store.postgres");
                Connection connection = PostgresServer.connect(url);
                Statement upgrade = connection.createStatement()) {
            connection.setAutoCommit(false);
            upgrade.execute("SET application_name = 'stuck'");
            upgrade.execute("SELECT pg_advisory_xact_lock(" + PostgresSchema.MIGRATION_LOCK + ")");
            String holder = "another session upgrades the schema (process "
                    + PostgresServer.query(connection, "SELECT pg_backend_pid()").getFirst() + ", stuck, 127.0.0.1)";
            assertThatThrownBy(() -> Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 1,
                    Duration.ofMillis(1), new AtomicBoolean())).hasMessageContaining("--database-wait is over")
                    .hasMessageContaining(holder);
            List<CompletableFuture<SqlStore>> opening = Stream.<Supplier<SqlStore>>of(this::serve, this::open)
                    .map(open -> CompletableFuture.supplyAsync(open, task -> Thread.ofPlatform().daemon().start(task)))
                    .toList();
            await("log lines").atMost(PATIENCE).until(() -> log.with("waiting for the database: ").stream()
                    .filter(line -> line.contains(holder)).count() > 1);
            assertThat(opening).noneMatch(CompletableFuture::isDone);
            connection.rollback();
            opening.forEach(store -> store.join().close());
        }
    }

    /// The service closes its connections when it leaves a server.
    @Test
    void committedWorkHasItsResultAlsoIfConnectionIsClosedThen() throws SQLException {
        PostgresServer.query(url, "CREATE TABLE note (text TEXT)");
        Connection connection = PostgresServer.connect(url);
        Connection closedAfterCommit = (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
                new Class<?>[]{Connection.class}, (_, method, arguments) -> {
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    } finally {
                        if (method.getName().equals("getWarnings")) {
                            connection.abort(Runnable::run);
                        }
                    }
                });
        try (PostgresSession session = new PostgresSession(closedAfterCommit, "", 0)) {
            session.limit(PATIENCE);
            assertThat(session.<String>inTransaction(each -> {
                each.execute("INSERT INTO note VALUES ('kept')");
                return "done";
            })).isEqualTo("done");
            assertThat(session.hasCommitted()).isTrue();
        }
        assertThat(PostgresServer.query(url, "SELECT text FROM note")).containsExactly("kept");
    }

    /// Logical replication needs primary keys, and copies no sequences.
    @Test
    void everyTableHasPrimaryKeyAndNoneUsesSequence() {
        addRex();
        assertThat(PostgresServer.query(url, """
                SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
                  AND (relkind = 'S' OR relkind IN ('r', 'p') AND NOT EXISTS (SELECT FROM pg_constraint
                       WHERE conrelid = pg_class.oid AND contype = 'p'))""")).isEmpty();
        assertThat(PostgresServer.query(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'"))
                .hasSizeGreaterThan(4);
    }

    /// The retention begins with the lock, not with the transaction.
    @Test
    void recordsTimeAfterWaitingForLock() throws SQLException {
        try (SqlStore store = serve();
                Connection connection = PostgresServer.connect(url);
                Statement other = connection.createStatement()) {
            connection.setAutoCommit(false);
            other.execute("UPDATE pet_id SET last_id = last_id");
            CompletableFuture<?> added = store.catalogue().add(REX, Optional.of(key()));
            await("the transaction waits for the lock").atMost(PATIENCE)
                    .until(() -> !PostgresServer.waitingForLocks(url).isEmpty());
            String waiting = PostgresServer.query(url, PostgresPets.SELECT_NOW).getFirst();
            connection.commit();
            assertThat(added).succeedsWithin(PATIENCE);
            assertThat(PostgresServer.query(url, "SELECT received_ms >= " + waiting + " FROM idempotency"))
                    .containsExactly("t");
        }
    }

    private void addRex() {
        try (SqlStore store = open()) {
            add(store);
        }
    }

    @Test
    void replacesReadOnlyConnectionsOnceDatabaseIsWritable() {
        try (SqlStore store = serve()) {
            makeReadOnly(store);
            PostgresServer.execute("ALTER DATABASE " + name() + " RESET default_transaction_read_only");
            await("a writable database").atMost(PATIENCE)
                    .untilAsserted(() -> assertThatCode(store::check).doesNotThrowAnyException());
            assertThat(add(store)).isEqualTo(1);
        }
    }

    @Test
    void connectsToReadOnlyDatabaseOnceASecond() {
        try (SqlStore store = serve()) {
            makeReadOnly(store);
            long before = sessionsSoFar();
            long began = System.nanoTime();
            for (int i = 0; i < MANY; i++) {
                assertThatThrownBy(store::check).asInstanceOf(type(Failure.class)).extracting(Failure::explanation)
                        .asString().contains("the database is read-only");
            }
            long seconds = (System.nanoTime() - began) / 1_000_000_000;
            assertThat(sessionsSoFar() - before).isLessThan((seconds + 2) * 2);
        }
    }

    /// Makes the database read-only for new connections, and ends all others, so that the store opens new ones.
    private void makeReadOnly(SqlStore store) {
        PostgresServer.execute("ALTER DATABASE " + name() + " SET default_transaction_read_only = on");
        PostgresServer
                .execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name() + "'");
        await("a read-only database").atMost(PATIENCE).untilAsserted(
                () -> assertThatThrownBy(store::check).asInstanceOf(type(Failure.class))
                        .extracting(Failure::explanation)
                        .asString().contains("the database is read-only"));
    }

    /// Returns the number of connections since the database was created.
    private long sessionsSoFar() {
        return Long.parseLong(PostgresServer
                .query(url, "SELECT sessions FROM pg_stat_database WHERE datname = current_database()").getFirst());
    }

    @Test
    void usesOneConnectionForConcurrentChecks() throws Exception {
        try (SqlStore store = serve();
                Connection connection = PostgresServer.connect(url);
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE schema_version");
            List<CompletableFuture<?>> checks = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                checks.add(CompletableFuture.runAsync(store::check,
                        check -> threads.add(Thread.startVirtualThread(check))));
            }
            await("all checks wait").atMost(PATIENCE)
                    .until(() -> threads.stream().allMatch(PostgresTest::isWaiting)
                            && !PostgresServer.waitingForLocks(url).isEmpty());
            assertThat(PostgresServer.waitingForLocks(url)).hasSize(1);
            assertThat(store.keys().list()).isEmpty();
            assertThat(checks).noneMatch(CompletableFuture::isDone);
            connection.rollback();
            for (CompletableFuture<?> check : checks) {
                assertThat(check).succeedsWithin(PATIENCE);
            }
        }
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /// The import reads the file before it locks the row of ids, and checks the lowest id afterwards.
    @Test
    void checksLowestIdOfImportAfterWaitingForLock() throws Exception {
        try (SqlStore store = open();
                SqlStore second = open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = PostgresServer.connect(url);
                Statement other = connection.createStatement()) {
            List<Pet> pets = List.of(new Pet(100, "Rex", 1, Optional.empty()));
            store.catalogue().addWithIds(Stream.of(pets).peek(_ -> assertThat(add(second)).isEqualTo(1)).iterator());
            assertThat(add(second)).isEqualTo(101);
            connection.setAutoCommit(false);
            other.execute("UPDATE pet_id SET last_id = 200");
            Future<?> importing = threads.submit(() -> second.catalogue()
                    .addWithIds(List.of(List.of(new Pet(150, "Rex", 1, Optional.empty()))).iterator()));
            await("the import waits for the lock").atMost(PATIENCE)
                    .until(() -> !PostgresServer.waitingForLocks(url).isEmpty());
            connection.commit();
            assertThat(importing).failsWithin(PATIENCE).withThrowableThat().havingCause()
                    .withMessage("id 150 does not lie above 200, the greatest id so far; sort the file by id");
            assertThat(add(store)).isEqualTo(201);
        }
    }

    /// The import needs longer than a create may take.
    @Test
    void createsDoNotWaitForImport() throws Exception {
        try (SqlStore store = open();
                SqlStore second = serve();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            PostgresServer.query(url, "CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END'");
            PostgresServer.query(url, "CREATE TRIGGER delay BEFORE INSERT ON pet FOR EACH ROW WHEN (NEW.id > 10001)"
                    + " EXECUTE FUNCTION delay()");
            List<List<Pet>> groups = LongStream.rangeClosed(10_001, 10_200)
                    .mapToObj(id -> List.of(new Pet(id, "Rex", 1, Optional.empty()))).toList();
            Future<?> importing = threads.submit(() -> store.catalogue().addWithIds(groups.iterator()));
            long id = 0;
            while (!importing.isDone()) {
                id = add(second);
            }
            importing.get();
            assertThat(id).isGreaterThan(1);
            assertThat(add(second)).isGreaterThan(10_200);
            assertThat(PostgresServer.query(url, "SELECT count(*) FROM pet WHERE id BETWEEN 10001 AND 10200"))
                    .containsExactly("200");
        }
    }

    /// Creates take its first ids, before others of them would have to wait for it.
    @Test
    void createEndsImportThatHasItsId() {
        try (SqlStore store = open(); SqlStore second = serve()) {
            List<List<Pet>> groups = List.of(List.of(new Pet(1, "Rex", 1, Optional.empty()), new Pet(2, "Rex", 1,
                    Optional.empty())), List.of(new Pet(3, "Rex", 1, Optional.empty())),
                    List.of(new Pet(4, "Rex", 1, Optional.empty())));
            assertThatThrownBy(() -> store.catalogue().addWithIds(groups.stream().peek(group -> {
                if (group.getFirst().id() == 4) {
                    assertThat(add(second)).isEqualTo(1);
                }
            }).iterator())).hasMessage("id 1 does not lie above 1, the greatest id so far; sort the file by id");
            assertThat(add(second)).isEqualTo(2);
        }
    }

    /// Messages of triggers and of the server do not make the outcome of a commit unknown.
    @ParameterizedTest
    @ValueSource(strings = {"INFO", "NOTICE", "WARNING"})
    void ignoresMessagesOfTriggers(String level) {
        addRex();
        PostgresServer.query(url, "CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE " + level + " ''audited''; RETURN NEW; END'");
        for (String table : List.of("pet", "pet_id", "idempotency", "api_key", "schema_version")) {
            PostgresServer.query(url, "CREATE TRIGGER shout BEFORE INSERT OR UPDATE ON " + table
                    + " FOR EACH ROW EXECUTE FUNCTION shout()");
        }
        writesEverything();
    }

    /// Adds an animal in each way, and a key.
    private void writesEverything() {
        try (SqlStore store = serve()) {
            long id = add(store);
            assertThat(AbstractCatalogueTest.awaited(store.catalogue().add(REX, Optional.of(key()))).pet().id())
                    .isEqualTo(id + 1);
            store.keys()
                    .add(ApiKey.issued(new KeyToken("4fQ0c8sXbT", "secret"), "shop", Set.of(Scope.READ), Instant.EPOCH,
                            Optional.empty(), Optional.empty()));
            assertThat(store.keys().revoke("4fQ0c8sXbT", Instant.EPOCH)).isPresent();
        }
        try (SqlStore store = open()) {
            store.catalogue().addAll(List.of(REX));
            store.catalogue().addWithIds(List.of(List.of(new Pet(100, "Rex", 1, Optional.empty()))).iterator());
            assertThat(add(store)).isEqualTo(101);
        }
    }

    /// An operator cancels the wait for a standby that does not respond. The animal is committed, but may be lost with this server.
    @ParameterizedTest
    @CsvSource({"false, notice", "true, notice", "false, error", "true, error"})
    void failsIfStandbyMayLackAnimal(boolean withKey, String messages) {
        PostgresServer.execute("ALTER DATABASE " + name() + " SET client_min_messages = " + messages);
        addRex();
        PostgresServer.query(url, "CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE WARNING ''first''; RETURN NEW; END'");
        PostgresServer.query(url, "CREATE TRIGGER shout BEFORE INSERT ON pet FOR EACH ROW EXECUTE FUNCTION shout()");
        try (SqlStore store = serve()) {
            setStandby("SET synchronous_standby_names = 'nobody'");
            CompletableFuture<?> added = addUntilCommitWaits(() -> withKey
                    ? store.catalogue().add(REX, Optional.of(key()))
                    : AbstractCatalogueTest.adding(store.catalogue(), REX));
            assertThat(waitingForStandby("pg_cancel_backend(pid)")).isNotEmpty();
            assertThat(added).failsWithin(PATIENCE).withThrowableThat().havingCause()
                    .isInstanceOfSatisfying(Failure.class,
                            failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE));
        } finally {
            setStandby("RESET synchronous_standby_names");
        }
    }

    private static void setStandby(String change) {
        PostgresServer.execute("ALTER SYSTEM " + change);
        PostgresServer.execute("SELECT pg_reload_conf()");
    }

    /// The server needs a moment to reload its settings, so the first animals may be committed at once.
    private CompletableFuture<?> addUntilCommitWaits(Supplier<CompletableFuture<?>> add) {
        AtomicReference<CompletableFuture<?>> added = new AtomicReference<>(add.get());
        await("a commit that waits for the standby").atMost(PATIENCE).until(() -> {
            if (added.get().isDone()) {
                added.set(add.get());
            }
            return !waitingForStandby("pid").isEmpty();
        });
        return added.get();
    }

    private List<String> waitingForStandby(String expression) {
        return PostgresServer.query(url, "SELECT " + expression
                + " FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'");
    }

    private static IdempotencyKey key() {
        return new IdempotencyKey(
                new IdempotencyKey.Name("owner", "createPet", UUID.randomUUID().toString()), "fingerprint",
                Duration.ofDays(1));
    }

    private static long add(SqlStore store) {
        return AbstractCatalogueTest.added(store.catalogue(), REX).id();
    }

    private String name() {
        return url.substring(url.lastIndexOf('/') + 1);
    }

    private SqlStore serve() {
        return new SqlStore(
                Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 1, Duration.ofMinutes(2),
                        new AtomicBoolean()),
                new SimpleMeterRegistry());
    }

    private SqlStore open() {
        return SqlStore.of(Postgres.forCommand(PostgresUri.parse(url), SchemaPolicy.AUTO, StoreAccess.CREATE));
    }
}
