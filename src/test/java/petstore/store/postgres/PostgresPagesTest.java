package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.Catalogue.Page;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.store.Database;
import petstore.store.SchemaPolicy;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Pages that wait for the only reader.
class PostgresPagesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Optional<PetStatus> SOLD = Optional.of(PetStatus.SOLD);

    private final String url = PostgresServer.newDatabase();
    private final Database database = Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 1,
            Duration.ofMinutes(2), new AtomicBoolean());

    @BeforeEach
    void addAnimals() throws InterruptedException {
        PostgresServer.query(url, "INSERT INTO pet SELECT n, 'Rex', 7, CASE n % 3 WHEN 0 THEN 'sold' END"
                + " FROM generate_series(1, 100) AS n");
        CountDownLatch noticed = new CountDownLatch(1);
        database.watch().onNewLineage(noticed::countDown);
        PostgresServer.query(url, "ALTER TABLE pet RENAME TO animal; " + viewOfPets("category_id", "status"));
        // Another table is another store: reads in progress fail when the watch notices it.
        assertThat(noticed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(database.readPage(page(1, 0))).succeedsWithin(PATIENCE));
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    /// Gives each animal the time of its transaction as its name.
    private static String viewOfPets(String categoryId, String status) {
        return "CREATE OR REPLACE VIEW pet AS SELECT id, now()::TEXT AS name, " + categoryId
                + " AS category_id, " + status + " AS status FROM animal";
    }

    @Test
    void areReadTogether() throws SQLException {
        List<Page> pages = read(page(1, 0), page(2, 4), page(3, 98), page(100, 100), page(2, 4),
                page(1, Long.MAX_VALUE)).stream().map(CompletableFuture::join).toList();

        assertThat(pages).extracting(PostgresPagesTest::ids).containsExactly(List.of(1L), List.of(5L, 6L),
                List.of(99L, 100L), List.of(), List.of(5L, 6L), List.of());
        assertThat(transactions(pages)).hasSize(1);
    }

    @Test
    void ofStatusesAreReadTogether() throws SQLException {
        List<Page> pages = read(page(1, 0), new PetQuery(1, SOLD, 3), page(2, 4), new PetQuery(2, SOLD, 95),
                new PetQuery(1, Optional.of(PetStatus.PENDING), 0)).stream().map(CompletableFuture::join).toList();

        assertThat(pages).extracting(PostgresPagesTest::ids).containsExactly(List.of(1L), List.of(6L),
                List.of(5L, 6L), List.of(96L, 99L), List.of());
        assertThat(transactions(pages)).as("with and without a status").hasSize(2);
    }

    /// E.g. in a damaged part of the table.
    @ParameterizedTest
    @CsvSource(textBlock = """
            7 / (id - 50), status, the database rejected a statement
            category_id, CASE id WHEN 50 THEN 'lost' ELSE status END, unknown status""", quoteCharacter = '"')
    void oneThatCannotBeReadFailsAlone(String categoryId, String status, String error) throws SQLException {
        PostgresServer.query(url, viewOfPets(categoryId, status));

        List<CompletableFuture<Page>> pages = read(page(1, 0), page(1, 49), page(1, 50),
                new PetQuery(1, SOLD, 50));

        assertThat(pages.get(1)).failsWithin(PATIENCE).withThrowableThat()
                .withMessageContaining(error);
        pages.remove(1);
        assertThat(pages).extracting(page -> ids(page.join()))
                .containsExactly(List.of(1L), List.of(51L), List.of(51L));
    }

    /// Each one alone would take the time of a statement.
    @Test
    void failTogetherIfConnectionBreaks() throws SQLException {
        List<CompletableFuture<Page>> pages = new ArrayList<>();
        try (Connection connection = PostgresServer.connect(url); Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE animal");
            var _ = database.readPage(page(1, 0));
            String first = awaitReader("");
            pages.add(database.readPage(page(1, 1)));
            pages.add(database.readPage(page(1, 2)));
            end(first);
            end(awaitReader(first));
            assertThat(pages).allSatisfy(page -> assertThat(page).failsWithin(PATIENCE));
        }
        assertThat(pages.getFirst().exceptionNow()).hasCauseInstanceOf(SQLTransientException.class)
                .isSameAs(pages.getLast().exceptionNow());
    }

    /// PostgreSQL would plan each execution, because it does not know the limit.
    @Test
    void havePlansThatStay() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(database.readPage(page(1 + i, i))).succeedsWithin(PATIENCE);
        }
        assertThat(database.read(session -> session.text("SELECT sum(generic_plans) || ' kept, ' || sum(custom_plans)"
                + " FROM pg_prepared_statements WHERE statement LIKE '% LIMIT $2'"))).succeedsWithin(PATIENCE)
                .asString().matches("[1-9]\\d* kept, 0");
    }

    @Test
    void doNotWaitForOtherReads() throws SQLException {
        List<CompletableFuture<?>> reads = new ArrayList<>();
        try (Connection connection = PostgresServer.connect(url); Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE animal");
            reads.add(database.readPage(page(1, 0)));
            var _ = awaitReader("");
            reads.add(database.readPage(page(1, 1)));
            reads.add(database.read(_ -> {
                assertThat(reads.get(1)).isDone();
                return true;
            }));
        }
        assertThat(reads).allSatisfy(read -> assertThat(read).succeedsWithin(PATIENCE));
    }

    private static PetQuery page(int limit, long after) {
        return new PetQuery(limit, Optional.empty(), after);
    }

    private static Stream<String> transactions(List<Page> pages) {
        return pages.stream().flatMap(page -> AbstractCatalogueTest.pets(page.json()).stream()).map(Pet::name)
                .distinct();
    }

    private static List<Long> ids(Page page) {
        return AbstractCatalogueTest.pets(page.json()).stream().map(Pet::id).toList();
    }

    /// Reads pages that have waited at the same time.
    private List<CompletableFuture<Page>> read(PetQuery... queries) throws SQLException {
        List<CompletableFuture<Page>> pages = new ArrayList<>();
        try (Connection connection = PostgresServer.connect(url); Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE animal");
            CompletableFuture<Page> first = database.readPage(page(1, 0));
            var _ = awaitReader("");
            for (PetQuery query : queries) {
                pages.add(database.readPage(query));
            }
            connection.rollback();
            assertThat(first).succeedsWithin(PATIENCE);
        }
        return pages;
    }

    /// Waits until the reader waits for a lock. Returns its server process, which is another one than `before`.
    private String awaitReader(String before) {
        return await().atMost(PATIENCE).until(() -> String.join(",", PostgresServer.waitingForLocks(url)),
                pid -> !pid.isEmpty() && !pid.equals(before));
    }

    private static void end(String pid) {
        PostgresServer.execute("SELECT pg_terminate_backend(" + pid + ")");
    }
}
