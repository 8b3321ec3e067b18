package petstore.sql;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;

/// The readers of a SQLite file.
class ReaderPoolTest {

    private static final Database.Work<String> COUNT = session -> session.text("SELECT count(*) FROM pet");
    /// What SQLite does itself when the disk fails to read.
    private static final Database.Work<String> FAIL = session -> {
        session.execute("ROLLBACK");
        throw new SQLException("disk I/O error");
    };

    @TempDir
    private Path folder;

    @Test
    void aReadThatEndsTheTransactionOfItsGroupLeavesNoneOpenLater() throws SQLException {
        SqlStore.openSqlite(folder, Migrate.AUTO).close();
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
