package petstore.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.testkit.PlainPostgres;
import petstore.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/// Imports whose COMMIT waits for a synchronous standby that is missing.
@Timeout(60)
class UnknownOutcomeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int GROUP = 2;
    /// The import asks whether it is interrupted: while it checks the file, then once, then for both groups.
    private static final int BEFORE_SECOND_GROUP = 4;
    private static final String STANDBY = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            + " AND application_name = 'petstore'";
    private static final String LOCK = " FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

    @TempDir
    private static Path folder;
    @AutoClose
    private static PlainPostgres server;
    private static Path file;

    @BeforeAll
    static void startServer() throws IOException {
        server = new PlainPostgres(folder.resolve("postgresql"));
        file = Files.write(folder.resolve("animals.ndjson"), IntStream.rangeClosed(1, 2 * GROUP)
                .mapToObj(id -> "{\"id\":" + id + ",\"name\":\"Rex\",\"categoryId\":1}").toList());
    }

    @BeforeEach
    void createDatabase() {
        Postgres.forCommand(PostgresUri.parse(server.url()), SchemaPolicy.AUTO, StoreAccess.CREATE).close();
    }

    @AfterEach
    void dropStore() {
        reset();
        server.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    }

    private static void makeCommitsWait() {
        server.alterSystem("SET synchronous_standby_names = 'nobody'");
        awaitStandbyNames("nobody");
    }

    private static void reset() {
        server.alterSystem("RESET synchronous_standby_names");
        awaitStandbyNames("");
    }

    private static void awaitStandbyNames(String names) {
        await().atMost(PATIENCE)
                .until(() -> server.query("SHOW synchronous_standby_names").getFirst().equals(names));
    }

    /// An import that keeps ids adds its animals in one transaction.
    @ParameterizedTest
    @CsvSource({"false, pg_cancel_backend(pid)", "false, pg_terminate_backend(pid)", "true, pg_cancel_backend(pid)",
            "true, pg_terminate_backend(pid)"})
    void saysWhichAnimalsMayBeAdded(boolean keepIds, String end) throws IOException {
        assertThat(importFile(keepIds, server.port(), UnknownOutcomeTest::makeCommitsWait, STANDBY, end))
                .startsWith("the import stopped after " + (keepIds
                        ? "none or all of its animals: the database "
                        : "line 2; 2 animals stay, and perhaps the next group: the database "))
                .contains("the outcome of a COMMIT is unknown: ");
        assertThat(count()).isEqualTo(2 * GROUP);
    }

    @Test
    void saysThatNextGroupMayBeAddedIfConnectionBreaks() throws IOException {
        try (TcpProxy proxy = new TcpProxy(server.port(), Duration.ZERO)) {
            String message = importFile(false, proxy.port(), UnknownOutcomeTest::makeCommitsWait, () -> {
                awaitWaiting("pid", STANDBY);
                proxy.moveTo(0);
            });
            assertThat(message)
                    .startsWith("the import stopped after line 2; 2 animals stay, and perhaps the next group: ");
        }
        await().atMost(PATIENCE).until(() -> count() == 2 * GROUP);
    }

    /// The statement waits for a lock, so the error says that nothing was committed.
    @Test
    void countsOnlyWrittenGroupsIfStatementFails() throws IOException, SQLException {
        try (Connection other = server.connect(); Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            String message = importFile(false, server.port(), () -> {
                try {
                    lock.execute("SELECT 1 FROM pet_id FOR UPDATE");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }, LOCK, "pg_cancel_backend(pid)");
            assertThat(message).startsWith("the import stopped after line 2; 2 animals stay: the database ");
        }
        assertThat(count()).isEqualTo(GROUP);
    }

    private static String importFile(boolean keepIds, int port, Runnable obstacle, String event, String end)
            throws IOException {
        return importFile(keepIds, port, obstacle, () -> awaitWaiting(end, event));
    }

    /// Returns the message of an import that fails because of `end`.
    ///
    /// @param obstacle makes commits wait, from the second group on if there are groups
    private static String importFile(boolean keepIds, int port, Runnable obstacle, Runnable end)
            throws IOException {
        PostgresUri address = PostgresUri.parse("postgresql://postgres@127.0.0.1:" + port + "/postgres");
        Importer.Plan plan = new Importer.Plan(file, Format.NDJSON, false, keepIds, false);
        AtomicInteger questions = new AtomicInteger();
        try (SqlStore store = SqlStore.of(Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            if (keepIds) {
                obstacle.run();
            }
            CompletableFuture<Importer.Report> importing = CompletableFuture.supplyAsync(() -> {
                try {
                    return Importer.run(store.catalogue().lastId(),
                            () -> new Importer.Target(store.catalogue(), GROUP, () -> false), plan, _ -> {
                            }, () -> {
                                if (!keepIds && questions.incrementAndGet() == BEFORE_SECOND_GROUP) {
                                    await().atMost(PATIENCE).until(() -> count() == GROUP);
                                    obstacle.run();
                                }
                                return false;
                            });
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task));
            end.run();
            // A terminated session that has a temporary table waits for the standby again.
            reset();
            return String.valueOf(
                    Objects.requireNonNull(catchThrowableOfType(CompletionException.class, importing::join).getCause())
                            .getMessage());
        }
    }

    /// Waits for a session, and then evaluates an expression. One statement, because a session may stop waiting for a moment.
    private static void awaitWaiting(String expression, String event) {
        await().atMost(PATIENCE).until(() -> server.query("SELECT " + expression + event).size() == 1);
    }

    private static long count() {
        return Long.parseLong(server.query("SELECT count(*) FROM pet").getFirst());
    }
}
