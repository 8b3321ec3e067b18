package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.PetStatus;
import petstore.store.Database;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.SqlStore;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The SQLite database: groups of reads, failures of the disk, messages for commands, and a query plan.
class SqliteTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PAGE = 4_096;
    private static final NewPet REX = new NewPet("Rex", 1, Optional.of(PetStatus.SOLD));
    private static final IdempotencyKey KEY = new IdempotencyKey(
            new IdempotencyKey.Name("shop", "createPet", "key"), "0".repeat(64), Duration.ofDays(1));

    static final Set<SQLiteErrorCode> UNREADY = EnumSet.of(SQLiteErrorCode.SQLITE_IOERR,
            SQLiteErrorCode.SQLITE_IOERR_WRITE, SQLiteErrorCode.SQLITE_READONLY,
            SQLiteErrorCode.SQLITE_READONLY_DBMOVED, SQLiteErrorCode.SQLITE_CANTOPEN,
            SQLiteErrorCode.SQLITE_CANTOPEN_FULLPATH, SQLiteErrorCode.SQLITE_CORRUPT,
            SQLiteErrorCode.SQLITE_CORRUPT_INDEX);

    private final AtomicInteger lostDisks = new AtomicInteger();

    @TempDir
    private Path folder;
    private Sqlite sqlite;

    @BeforeEach
    void open() {
        sqlite = Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet);
        write("CREATE TABLE mark (id INTEGER)");
    }

    @AfterEach
    void close() {
        sqlite.close();
    }

    /// SQLite itself rolls back if the disk fails to read. If a transaction stayed open, later reads would not see new rows.
    @Test
    void failedReadDoesNotAffectOtherReads() {
        Database.Work<String> count = session -> session.text("SELECT count(*) FROM mark");
        Database.Work<String> fail = session -> {
            try {
                session.execute("ROLLBACK");
            } catch (SQLException e) {
                // This read was not in a group, so it had no transaction.
            }
            throw new SQLException("disk I/O error");
        };
        for (int marks = 0; marks < 3; marks++) {
            CompletableFuture<Boolean> release = new CompletableFuture<>();
            List<CompletableFuture<Boolean>> busy = IntStream.range(0, 4 * Runtime.getRuntime().availableProcessors())
                    .mapToObj(_ -> sqlite.read(_ -> release.join())).toList();
            List<CompletableFuture<String>> reads = Stream.of(count, fail, count, fail, count).map(sqlite::read)
                    .toList();
            release.complete(true);
            busy.forEach(read -> assertThat(read).succeedsWithin(PATIENCE));
            for (int i = 0; i < reads.size(); i++) {
                if (i % 2 == 0) {
                    assertThat(reads.get(i)).succeedsWithin(PATIENCE).isEqualTo(String.valueOf(marks));
                } else {
                    assertThat(reads.get(i)).failsWithin(PATIENCE).withThrowableThat().havingRootCause()
                            .withMessage("disk I/O error");
                }
            }
            write("INSERT INTO mark VALUES (1)");
        }
    }

    /// The next fsync would succeed without the pages that the kernel has dropped.
    @Test
    void refusesWritesAfterFailedSync() {
        assertDiskLost(() -> sqlite.write(_ -> {
            throw new SQLiteException("fsync", SQLiteErrorCode.SQLITE_IOERR_FSYNC);
        }));
        assertThat(lostDisks).hasValue(1);
        assertDiskLost(() -> write("INSERT INTO mark VALUES (1)"));
        assertDiskLost(sqlite::check);
        assertThat(count()).as("reads still work").isEqualTo("0");
        assertThat(lostDisks).hasValue(1);
    }

    /// SQLite would go on to write it. A file in its place may be another one.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writesNothingOnceFileIsMoved(boolean byCheck) throws IOException {
        ThrowingCallable write = () -> write("INSERT INTO mark VALUES (1)");
        Files.move(SqliteFile.in(folder), folder.resolve("moved"));
        assertMoved(byCheck ? sqlite::check : write);
        Files.move(folder.resolve("moved"), SqliteFile.in(folder));
        assertMoved(write);
        assertMoved(sqlite::check);
        assertThat(count()).isEqualTo(byCheck ? "0" : "1");
        assertThat(lostDisks).hasValue(0);
    }

    private static void assertMoved(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(Failure.class).hasMessage("the store's file was moved or deleted");
    }

    @ParameterizedTest
    @EnumSource(names = {"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT",
            "SQLITE_CONSTRAINT",
            "SQLITE_CONSTRAINT_CHECK"})
    void onlyRollsBackWritesThatFailForOtherReasons(SQLiteErrorCode reason) {
        fail(reason);
        assertThat(lostDisks).hasValue(0);
        sqlite.check();
        write("INSERT INTO mark VALUES (2)");
        assertThat(count()).isEqualTo("1");
    }

    @ParameterizedTest
    @FieldSource("UNREADY")
    void isUnreadyFromFailedWriteToSuccessfulWrite(SQLiteErrorCode reason) {
        fail(reason);
        assertUnready();
        fail(SQLiteErrorCode.SQLITE_FULL);
        assertUnready();
        write("INSERT INTO mark VALUES (2)");
        sqlite.check();

        fail(reason);
        assertUnready();
        sqlite.retryWrite();
        sqlite.check();
        assertThat(count()).as("the service's own write adds nothing").isEqualTo("1");
    }

    /// Reads and other writes work.
    @ParameterizedTest
    @ValueSource(strings = {"pet_status", "sqlite_autoindex_idempotency_1"})
    void isUnreadyWhileIndexIsDamaged(String name) throws IOException {
        sqlite.close();
        long page;
        try (StoreFile file = new StoreFile(folder)) {
            page = Long
                    .parseLong(file.text("SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'").getFirst());
        }
        try (FileChannel file = FileChannel.open(SqliteFile.in(folder), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[PAGE]), (page - 1) * PAGE);
        }
        sqlite = Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet);
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.check();
            assertThat(store.catalogue().add(REX, Optional.of(KEY))).failsWithin(PATIENCE);
            store.retryWrite();
            assertUnready();
        }
    }

    /// A successful check counts for a second, but only if no write failed since.
    @Test
    void failedWriteCountsAtOnceAfterCheck() {
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.check();
            fail(SQLiteErrorCode.SQLITE_IOERR);
            assertThatThrownBy(store::check).hasMessage("the store cannot be written; the log has the reason");
            write("INSERT INTO mark VALUES (2)");
            store.check();
        }
    }

    private void assertUnready() {
        assertThatThrownBy(sqlite::check).isInstanceOf(Failure.class)
                .hasMessage("the store cannot be written; the log has the reason");
    }

    private void fail(SQLiteErrorCode reason) {
        assertThatThrownBy(() -> sqlite.write(session -> {
            session.execute("INSERT INTO mark VALUES (1)");
            throw new SQLiteException("said", reason);
        })).isInstanceOf(Failure.class);
    }

    /// SQLite's own checkpoints hide errors.
    @Test
    void leavesNoCheckpointToSqlite() throws SQLException {
        Database.Work<String> pages = session -> session.text("PRAGMA wal_autocheckpoint");
        String ofWriter = sqlite.write(pages);
        String ofReader = sqlite.readUnqueued(pages);
        String ofQueue = sqlite.read(pages).join();
        try (Session session = SqliteFile.connectWriter(SqliteFile.in(folder))) {
            assertThat(List.of(ofWriter, ofReader, ofQueue, pages.on(session))).containsOnly("0");
        }
    }

    /// Clients of the API learn only that the store is unavailable.
    @Test
    void reportsReasonToCommands() {
        try (Sqlite command = Sqlite.forCommand(folder.resolve("other"), SchemaPolicy.AUTO, true)) {
            Map.of(SQLiteErrorCode.SQLITE_FULL, "the store .*/petstore.db cannot be used: the disk is full; free .*",
                    SQLiteErrorCode.SQLITE_READONLY, "the store .*/petstore.db cannot be used: said",
                    SQLiteErrorCode.SQLITE_IOERR_WRITE, "the store .*/petstore.db cannot be used: said")
                    .forEach((code, message) -> assertThatThrownBy(() -> command.write(_ -> {
                        throw new SQLiteException("said", code);
                    })).isInstanceOf(CommandFailure.class).message().matches(message));
            assertThatThrownBy(() -> command.write(_ -> {
                throw new SQLiteException("said", SQLiteErrorCode.SQLITE_IOERR_FSYNC);
            })).isInstanceOf(Failure.class).hasMessageStartingWith("the store's disk failed; see ");
        }
    }

    /// The index has no animals without a status. SQLite uses it only if the query excludes them.
    @Test
    void listByStatusReadsOneRangeOfIndex() {
        List<String> plan = sqlite.readUnqueued(session -> Session.rows(
                session.prepare("EXPLAIN QUERY PLAN " + PackedRows.LIST_BY_STATUS), row -> row.getString("detail")));
        assertThat(plan).contains("SEARCH pet USING INDEX pet_status (status=? AND rowid>?)")
                .noneMatch(step -> step.contains("TEMP B-TREE"));
    }

    private void write(String sql) {
        sqlite.write(session -> {
            session.execute(sql);
            return sql;
        });
    }

    private String count() {
        return sqlite.readUnqueued(session -> session.text("SELECT count(*) FROM mark"));
    }

    private static void assertDiskLost(Runnable operation) {
        assertThatThrownBy(operation::run).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE))
                .hasMessage("the store's disk failed; the service is stopping");
    }
}
