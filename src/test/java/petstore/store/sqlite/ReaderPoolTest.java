package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Failure;
import petstore.store.Database;
import petstore.store.DatabaseErrors;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.SqlStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The readers of a SQLite file.
class ReaderPoolTest {

    private static final Database.Work<String> COUNT = session -> session.text("SELECT count(*) FROM pet");
    /// What SQLite does itself when the disk fails to read.
    private static final Database.Work<String> FAIL = session -> {
        session.execute("ROLLBACK");
        throw new SQLException("disk I/O error");
    };

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void aReadThatEndsTheTransactionOfItsGroupLeavesNoneOpenLater() throws SQLException {
        SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, true)).close();
        Path file = SqliteFile.in(folder);
        try (Session writer = SqliteFile.connectWriter(file);
                ReaderPool readers = new ReaderPool("reader", 1, () -> SqliteFile.connectReader(file),
                        new DatabaseErrors(_ -> false))) {
            assertThat(together(readers, List.of(COUNT, FAIL))).first().isEqualTo("0");
            for (int animals = 1; animals <= 3; animals++) {
                writer.execute("INSERT INTO pet (name, category_id) VALUES ('Whiskers', 7)");
                assertThat(together(readers, List.of(COUNT, COUNT))).containsOnly(String.valueOf(animals));
            }
        }
    }

    @Test
    void whatStillWaitsWhenItIsClosedIsRefused() throws Exception {
        SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, true)).close();
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        ReaderPool readers = new ReaderPool("reader", 1, () -> SqliteFile.connectReader(SqliteFile.in(folder)),
                new DatabaseErrors(_ -> false));
        CompletableFuture<String> first = readers.submit(_ -> {
            begun.complete(true);
            return end.join();
        });
        begun.join();
        CompletableFuture<String> second = readers.submit(COUNT);
        Thread closing = Thread.ofPlatform().start(readers::close);
        await("the reader is waited for").atMost(PATIENCE).until(() -> closing.getState() == Thread.State.WAITING);
        end.complete("read");
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo("read");
        assertThat(second).failsWithin(PATIENCE).withThrowableThat().havingCause()
                .isInstanceOf(Failure.class).withMessage("the service is stopping");
        closing.join();
    }

    /// What reads give that wait at the same time, and so are one group; the kind of failure of one that fails.
    private static List<String> together(ReaderPool readers, List<Database.Work<String>> works) {
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<String> before = readers.submit(session -> {
            try {
                waiting.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "";
        });
        List<CompletableFuture<String>> group = works.stream().map(readers::submit).toList();
        waiting.countDown();
        before.join();
        return group.stream().map(read -> read.exceptionally(e -> ((Failure) e).kind().name()).join()).toList();
    }
}
