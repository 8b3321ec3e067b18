package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.store.Session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// Checkpoints beside readers, with small limits.
class CheckpointsTest {

    private static final int WAITING = 10;
    private static final int LARGEST = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /// The pages of a commit of this test, with room to spare.
    private static final int COMMIT = 5;

    @TempDir
    private Path folder;
    private final List<Session> sessions = new ArrayList<>();
    private Session writer;

    @BeforeEach
    void open() throws SQLException {
        writer = keep(SqliteFile.connectWriter(SqliteFile.in(folder)));
        writer.execute("CREATE TABLE mark (content)");
    }

    @AfterEach
    void close() throws SQLException {
        for (Session session : sessions.reversed()) {
            session.close();
        }
    }

    private Session keep(Session session) {
        sessions.add(session);
        return session;
    }

    private Session openReader() throws SQLException {
        return keep(SqliteFile.connectReader(SqliteFile.in(folder)));
    }

    private static void beginToRead(Session reader) throws SQLException {
        reader.execute("BEGIN");
        reader.text("SELECT count(*) FROM mark");
    }

    private void commit(Checkpoints checkpoints) throws SQLException {
        writer.execute("INSERT INTO mark VALUES (randomblob(4000))");
        checkpoints.afterCommit(writer);
    }

    /// Returns whether the checkpoint was busy, the pages of the log, and those copied.
    private static List<Long> checkpoint(Session session, String mode) throws SQLException {
        return session.rows("PRAGMA wal_checkpoint(" + mode + ")",
                row -> List.of(row.getLong(1), row.getLong(2), row.getLong(3))).getFirst();
    }

    private long pages() throws SQLException {
        return checkpoint(writer, "NOOP").get(1);
    }

    private long waiting() throws SQLException {
        List<Long> log = checkpoint(writer, "NOOP");
        return log.get(1) - log.get(2);
    }

    @Test
    void copiesPagesOnceEnoughWait() throws SQLException {
        Checkpoints checkpoints = new Checkpoints(new Checkpoints.Limits(WAITING, LARGEST, PATIENCE, Duration.ZERO));
        commit(checkpoints);
        assertThat(waiting()).as("too few").isPositive();
        for (int i = 0; i < 100; i++) {
            commit(checkpoints);
            assertThat(waiting()).isLessThan(WAITING);
            assertThat(pages()).isLessThan(WAITING + COMMIT);
        }
    }

    /// There is always a reader of an earlier state, so that no commit finds the log unused.
    @Test
    void boundsLogBesideShortReaders() throws SQLException {
        Checkpoints checkpoints = new Checkpoints(new Checkpoints.Limits(WAITING, LARGEST, PATIENCE, Duration.ZERO));
        AtomicBoolean stopped = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Session reader = openReader();
            readers.add(CompletableFuture.runAsync(() -> {
                while (!stopped.get()) {
                    readSlowly(reader);
                }
            }, task -> Thread.ofPlatform().daemon().start(task)));
        }
        long largest = 0;
        for (int i = 0; i < 150; i++) {
            commit(checkpoints);
            largest = Math.max(largest, pages());
        }
        stopped.set(true);
        readers.forEach(CompletableFuture::join);
        assertThat(largest).isGreaterThan(WAITING + COMMIT).isLessThan(2 * LARGEST);
    }

    private static void readSlowly(Session reader) {
        try {
            reader.execute("BEGIN");
            reader.text("SELECT count(*) FROM mark");
            reader.text(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT max(i) FROM n");
            reader.execute("COMMIT");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void doesNotWaitAgainSoonForLongReader() throws SQLException {
        Duration wait = Duration.ofSeconds(1);
        Checkpoints checkpoints = new Checkpoints(new Checkpoints.Limits(WAITING, LARGEST, wait, Duration.ofHours(1)));
        Session reader = openReader();
        beginToRead(reader);
        long beganNs = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            commit(checkpoints);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isBetween(wait, wait.multipliedBy(10));
        assertThat(pages()).as("a long reader lets the log grow").isGreaterThan(100);
        reader.execute("COMMIT");

        commit(checkpoints);
        commit(checkpoints);
        assertThat(pages()).as("the log begins again").isLessThan(WAITING + COMMIT);
    }

    @Test
    void waitsForCheckpointOfAnotherConnection() throws SQLException {
        Session reader = openReader();
        beginToRead(reader);
        writer.execute("INSERT INTO mark VALUES (1)");
        Session other = keep(SqliteFile.connectWriter(SqliteFile.in(folder)));
        AtomicBoolean released = new AtomicBoolean();
        CompletableFuture<List<Long>> checkpoint = CompletableFuture.supplyAsync(() -> {
            try {
                return checkpoint(other, "RESTART");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }, task -> Thread.ofPlatform().daemon().start(task));
        await().atMost(PATIENCE).until(() -> checkpoint(writer, "PASSIVE").getFirst() == 1);
        CompletableFuture<Void> release = CompletableFuture.runAsync(() -> {
            released.set(true);
            try {
                reader.execute("COMMIT");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }, CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));

        Checkpoints.complete(writer);
        assertThat(released).isTrue();
        assertThat(waiting()).isZero();
        assertThat(checkpoint.join().getFirst()).isZero();
        release.join();
    }

    @Test
    void refusesToEmptyLogInUse() throws SQLException {
        Session reader = openReader();
        beginToRead(reader);
        writer.execute("INSERT INTO mark VALUES (1)");
        SqliteFile.waitForLocks(writer, Duration.ZERO);
        assertThatThrownBy(() -> Checkpoints.empty(writer)).isInstanceOf(SQLException.class)
                .matches(e -> SqliteErrors.isBusy((SQLException) e));
        reader.execute("COMMIT");
        Checkpoints.empty(writer);
        assertThat(SqliteFile.log(SqliteFile.in(folder))).isEmptyFile();
    }
}
