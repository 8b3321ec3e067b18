package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.junit.jupiter.params.provider.CsvSource;
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
import petstore.store.StoreAccess;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// The SQLite database: groups of reads, failures of the disk, messages for commands, and a query plan.
class SqliteTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PAGE = 4_096;
    /// As in [OpenFiles].
    private static final int CLOCK_MS = 20;
    private static final String DAMAGED = "the store is damaged; restore a backup";
    private static final NewPet REX = new NewPet("Rex", 1, Optional.of(PetStatus.SOLD));
    private static final IdempotencyKey KEY = new IdempotencyKey(
            new IdempotencyKey.Name("shop", "createPet", "key"), "0".repeat(64), Duration.ofDays(1));

    static final Set<SQLiteErrorCode> UNREADY = EnumSet.of(SQLiteErrorCode.SQLITE_IOERR,
            SQLiteErrorCode.SQLITE_IOERR_WRITE, SQLiteErrorCode.SQLITE_READONLY,
            SQLiteErrorCode.SQLITE_READONLY_DBMOVED, SQLiteErrorCode.SQLITE_CANTOPEN,
            SQLiteErrorCode.SQLITE_CANTOPEN_FULLPATH);

    private final AtomicInteger lostDisks = new AtomicInteger();

    @TempDir
    private Path folder;
    private Sqlite sqlite;

    @BeforeEach
    void open() {
        sqlite = Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet);
        write("CREATE TABLE IF NOT EXISTS mark (id INTEGER)");
        write("INSERT INTO mark VALUES (1)");
        write("DELETE FROM mark");
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
        assertThat(count()).isEqualTo("0");
        assertThat(lostDisks).hasValue(0);
    }

    private static void assertMoved(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(Failure.class).hasMessage("petstore.db was replaced, moved or deleted");
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
        zeroRoot(name);
        sqlite = Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet);
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.check();
            assertThat(store.catalogue().add(REX, Optional.of(KEY))).failsWithin(PATIENCE);
            assertDamaged();
            store.retryWrite();
            assertDamaged();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SQLITE_CORRUPT", "SQLITE_CORRUPT_INDEX", "SQLITE_NOTADB"})
    void writesNothingWhileSqliteReportsDamage(SQLiteErrorCode reason) {
        assertThat(sqlite.read(_ -> {
            throw new SQLiteException("said", reason);
        })).failsWithin(PATIENCE).withThrowableThat().havingCause().isInstanceOf(Failure.class)
                .withMessage(DAMAGED);
        assertDamaged();
        assertThat(count()).as("reads of healthy pages").isEqualTo("0");
        // SQLite reports a passing failure of the disk so, too. A check of all pages shows that.
        sqlite.retryWrite();
        sqlite.check();
        write("INSERT INTO mark VALUES (1)");
    }

    /// As if the disk failed to read also while all pages are checked.
    @Test
    void checksReportedDamageAgain() throws IOException {
        sqlite.close();
        byte[] good = Files.readAllBytes(SqliteFile.in(folder));
        zeroRoot("sqlite_autoindex_idempotency_1");
        sqlite = Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet);
        assertThat(sqlite.read(_ -> {
            throw new SQLiteException("said", SQLiteErrorCode.SQLITE_CORRUPT);
        })).failsWithin(PATIENCE);
        sqlite.retryWrite();
        assertDamaged();
        Files.write(SqliteFile.in(folder), good);
        await().atMost(PATIENCE).untilAsserted(() -> {
            sqlite.retryWrite();
            sqlite.check();
        });
        write("INSERT INTO mark VALUES (1)");
    }

    /// The process still has pages of the damaged store.
    @Test
    void backupThatIsCopiedOverDamagedStoreDoesNotRefuteDamage() throws IOException {
        Path backup = backUp();
        assertThat(sqlite.read(_ -> {
            throw new SQLiteException("said", SQLiteErrorCode.SQLITE_CORRUPT);
        })).failsWithin(PATIENCE);
        Files.write(SqliteFile.in(folder), Files.readAllBytes(backup));
        sqlite.retryWrite();
        assertDamaged();
    }

    /// Damages the root page of an index.
    private void zeroRoot(String index) throws IOException {
        zeroPage(folder, "SELECT rootpage FROM sqlite_schema WHERE name = '" + index + "'");
    }

    /// Damages the page whose number a query returns.
    static void zeroPage(Path folder, String query) throws IOException {
        long page;
        try (StoreFile file = new StoreFile(folder)) {
            page = Long.parseLong(file.text(query).getFirst());
        }
        try (FileChannel file = FileChannel.open(SqliteFile.in(folder), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[PAGE]), (page - 1) * PAGE);
        }
    }

    private void assertDamaged() {
        assertThatThrownBy(sqlite::check).isInstanceOf(Failure.class).hasMessage(DAMAGED);
        assertThatThrownBy(() -> write("INSERT INTO mark VALUES (1)")).isInstanceOf(Failure.class).hasMessage(DAMAGED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"petstore.db", "petstore.db-wal", "petstore.db-shm", "petstore.lock"})
    void writesNothingOnceFileIsReplaced(String name) throws IOException {
        Path file = folder.resolve(name);
        Files.copy(file, folder.resolve("copy"));
        Files.move(folder.resolve("copy"), file, StandardCopyOption.REPLACE_EXISTING);
        byte[] replacement = Files.readAllBytes(file);
        String reason = name + " was replaced, moved or deleted";
        assertThatThrownBy(() -> write("INSERT INTO mark VALUES (1)")).isInstanceOf(Failure.class).hasMessage(reason);
        assertThatThrownBy(sqlite::check).isInstanceOf(Failure.class).hasMessage(reason);
        sqlite.close();
        assertThat(file).as("the replacement").hasBinaryContent(replacement);
    }

    /// As by `cp -a`, which keeps the times of files and folders.
    @Test
    void writesNothingOnceFolderIsReplacedByCopy() throws IOException {
        Path data = folder.resolve("data");
        Path copy = Files.createDirectory(folder.resolve("copy"));
        Sqlite replaced = Sqlite.forService(data, SchemaPolicy.AUTO, lostDisks::incrementAndGet);
        FileTime changed = Files.getLastModifiedTime(data);
        // From then on, the files are compared only once the folder changes.
        while (System.currentTimeMillis() - changed.toMillis() < 2 * CLOCK_MS) {
            Thread.onSpinWait();
        }
        replaced.check();
        for (String name : Objects.requireNonNull(data.toFile().list())) {
            Files.copy(data.resolve(name), copy.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.setLastModifiedTime(copy, changed);
        Files.move(data, folder.resolve("old"));
        Files.move(copy, data);
        assertThatThrownBy(replaced::check).isInstanceOf(Failure.class).hasMessageContaining("was replaced");
        replaced.close();
    }

    @Test
    void outcomeIsUnknownIfFileIsReplacedDuringWrite() {
        assertThatThrownBy(() -> sqlite.write(Database.Work.of(session -> {
            session.execute("INSERT INTO mark VALUES (1)");
            assertThat(SqliteFile.in(folder).toFile().renameTo(folder.resolve("moved").toFile())).isTrue();
        }))).isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.hasUnknownOutcome()).isTrue());
    }

    /// The database has them before the process ends.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsAnimalsOfDeletedLog(boolean readSince) throws IOException {
        write("INSERT INTO mark VALUES (1)");
        Files.delete(SqliteFile.log(SqliteFile.in(folder)));
        if (readSince) {
            Files.createFile(SqliteFile.log(SqliteFile.in(folder)));
        }
        assertThatThrownBy(sqlite::check).isInstanceOf(Failure.class);
        Path kept = Files.createDirectory(folder.resolve("kept"));
        Files.copy(SqliteFile.in(folder), SqliteFile.in(kept));
        try (StoreFile file = new StoreFile(kept)) {
            assertThat(file.text("SELECT count(*) FROM mark")).containsExactly("1");
        }
    }

    /// A connection that may write would move the log into the database when it closes.
    @Test
    void readingCommandsChangeNeitherDatabaseNorLogOfKilledServer() throws IOException {
        write("DROP TABLE mark");
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.catalogue().addAll(Collections.nCopies(3_000, REX));
            folder = killed();
        }
        byte[] database = Files.readAllBytes(SqliteFile.in(folder));
        byte[] log = Files.readAllBytes(SqliteFile.log(SqliteFile.in(folder)));
        assertThat(log).isNotEmpty();
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.READ))) {
            assertThat(store.catalogue().lastId()).isEqualTo(3_000);
            assertThat(store.keys().list()).isEmpty();
            assertThatThrownBy(() -> store.catalogue().addAll(List.of(REX))).isInstanceOf(CommandFailure.class);
        }
        assertThat(SqliteInspection.of(folder, PATIENCE).checked()).isEqualTo("all pages checked");
        SqliteCopy.backup(folder, folder.resolve("backup.db"), Instant.EPOCH, false, _ -> {
        });
        assertThat(SqliteFile.in(folder)).hasBinaryContent(database);
        assertThat(SqliteFile.log(SqliteFile.in(folder))).hasBinaryContent(log);
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("backup.db", "petstore.db", "petstore.db-wal",
                "petstore.db-shm");
    }

    @Test
    void leavesDatabaseOfDeletedLogToProcessThatHasTakenStore() throws IOException {
        write("INSERT INTO mark VALUES (1)");
        byte[] database = Files.readAllBytes(SqliteFile.in(folder));
        Files.delete(SqliteFile.log(SqliteFile.in(folder)));
        takeStore();
        assertThatThrownBy(sqlite::check).isInstanceOf(Failure.class);
        assertThat(SqliteFile.in(folder)).hasBinaryContent(database);
    }

    /// As through two mounts of one folder, where locks are not shared.
    private void takeStore() throws IOException {
        try (FileChannel lock = FileChannel.open(folder.resolve("petstore.lock"), StandardOpenOption.WRITE)) {
            lock.write(ByteBuffer.wrap("another token".getBytes(StandardCharsets.US_ASCII)), 0);
        }
    }

    @Test
    void writesNothingOnceAnotherProcessTakesStore() throws IOException {
        String reason = "another process has taken this store";
        takeStore();
        assertThatThrownBy(sqlite::check).isInstanceOf(Failure.class).hasMessage(reason);
        assertThatThrownBy(() -> write("INSERT INTO mark VALUES (1)")).isInstanceOf(Failure.class).hasMessage(reason);
    }

    /// The log of a killed process would be applied to another database.
    @Test
    void refusesToApplyLogToBackupThatWasCopiedOverDatabase() throws IOException {
        Path backup = backUp();
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.catalogue().addAll(List.of(REX));
            Files.copy(SqliteFile.log(SqliteFile.in(folder)), folder.resolve("log"));
        }
        Files.write(SqliteFile.in(folder), Files.readAllBytes(backup));
        Files.move(folder.resolve("log"), SqliteFile.log(SqliteFile.in(folder)));
        assertThatThrownBy(() -> Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.READ))
                .isInstanceOf(CommandFailure.class).hasMessageContaining("was replaced");
        Files.delete(SqliteFile.log(SqliteFile.in(folder)));
        Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE).close();
    }

    @Test
    void refusesToApplyLogOfCopiedBackupToItsNextCopy() throws IOException {
        Path backup = backUp();
        sqlite.close();
        Path database = SqliteFile.in(folder);
        Files.write(database, Files.readAllBytes(backup));
        try (SqlStore store = SqlStore
                .of(Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet))) {
            store.catalogue().addAll(List.of(REX));
            Files.createLink(folder.resolve("log"), SqliteFile.log(database));
        }
        Files.write(database, Files.readAllBytes(backup));
        Files.move(folder.resolve("log"), SqliteFile.log(database));
        assertThatThrownBy(() -> Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.READ))
                .isInstanceOf(CommandFailure.class).hasMessageContaining("was replaced");
    }

    /// So no later log is applied to the next copy.
    @ParameterizedTest
    @ValueSource(strings = {"start", "backup time", "restore"})
    void recordsThatCopiedBackupBecameStore(String how) throws IOException {
        Path backup = backUp();
        sqlite.close();
        Files.write(SqliteFile.in(folder), Files.readAllBytes(backup));
        switch (how) {
            case "start" -> Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE).close();
            case "backup time" -> BackupTime.record(folder, Instant.EPOCH);
            default -> SqliteRestore.restore(backup, folder, Instant.EPOCH, _ -> {
            });
        }
        try (FolderLock lock = FolderLock.read(folder)) {
            assertThat(lock.file().files()).endsWith(" store");
        }
    }

    @Test
    void recordsNoBackupTimeInNewStore() throws IOException {
        sqlite.close();
        Files.delete(SqliteFile.in(folder));
        assertThatThrownBy(() -> BackupTime.record(folder, Instant.EPOCH)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("was moved or deleted");
        assertThat(SqliteFile.in(folder)).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"petstore.db, true", "petstore.db-wal, true", "both, false"})
    void refusesToApplyLogToAnotherDatabase(String replaced, boolean refused) throws IOException {
        write("INSERT INTO mark VALUES (1)");
        Path killed = killed();
        Path database = SqliteFile.in(folder);
        sqlite.close();
        Files.move(killed.resolve("petstore.db-wal"), SqliteFile.log(database));
        FolderLock lock = FolderLock.serve(folder);
        lock.file().recordFiles();
        lock.close();
        for (String name : List.of("petstore.db", "petstore.db-wal")) {
            if (replaced.equals(name) || replaced.equals("both")) {
                // The file system may give the new file the number of the deleted one.
                byte[] content = Files.readAllBytes(folder.resolve(name));
                Files.delete(folder.resolve(name));
                Files.write(folder.resolve(name), content);
            }
        }
        if (refused) {
            for (StoreAccess access : StoreAccess.values()) {
                assertThatThrownBy(() -> Sqlite.forCommand(folder, SchemaPolicy.AUTO, access))
                        .isInstanceOf(CommandFailure.class).hasMessageContaining("was replaced");
            }
            assertThatThrownBy(() -> Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
            })).isInstanceOf(CommandFailure.class).hasMessageContaining("move the log away");
            assertThatThrownBy(() -> BackupTime.record(folder, Instant.EPOCH)).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("was replaced");
            Files.delete(SqliteFile.log(database));
        }
        Sqlite.forService(folder, SchemaPolicy.AUTO, lostDisks::incrementAndGet).close();
    }

    @Test
    void startRefusesStoreWithoutItsEnd() throws IOException {
        sqlite.close();
        try (FileChannel file = FileChannel.open(SqliteFile.in(folder), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - PAGE);
        }
        assertStartSaysDamaged();
    }

    /// The log of another moment tells SQLite that the database is longer.
    @Test
    void startRefusesStoreWithoutItsEndBesideLog() throws IOException {
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.catalogue().addAll(Collections.nCopies(5_000, REX));
        }
        open();
        Path killed = killed();
        try (FileChannel file = FileChannel.open(killed.resolve("petstore.db"), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - 10 * PAGE);
        }
        sqlite.close();
        folder = killed;
        assertStartSaysDamaged();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void startRefusesDamagedFirstOrLastRows(boolean first) throws IOException {
        try (SqlStore store = SqlStore.of(sqlite)) {
            store.catalogue().addAll(Collections.nCopies(1_000, REX));
        }
        zeroPage(folder, "SELECT " + (first ? "min" : "max") + "(pageno) FROM dbstat"
                + " WHERE name = 'pet' AND pagetype = 'leaf'");
        assertStartSaysDamaged();
    }

    private void assertStartSaysDamaged() {
        assertThatThrownBy(() -> Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
        })).isInstanceOf(CommandFailure.class).hasMessageContaining("malformed")
                .hasMessageEndingWith("; put a backup in its place with 'petstore restore FILE'");
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
        try (Session session = SqliteFile.connectWriter(SqliteFile.in(folder))) {
            assertThat(List.of(ofWriter, pages.on(session))).containsOnly("0");
        }
    }

    /// Clients of the API learn only that the store is unavailable.
    @Test
    void reportsReasonToCommands() {
        try (Sqlite command = Sqlite.forCommand(folder.resolve("other"), SchemaPolicy.AUTO, StoreAccess.CREATE)) {
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
        List<String> plan = sqlite.readUnqueued(session -> session
                .rows("EXPLAIN QUERY PLAN " + PackedRows.LIST_BY_STATUS, row -> row.getString("detail")));
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

    /// Makes a backup. It may not have the table of this test.
    private Path backUp() {
        write("DROP TABLE mark");
        Path backup = folder.resolve("backup.db");
        SqliteCopy.backup(folder, backup, Instant.EPOCH, false, _ -> {
        });
        return backup;
    }

    /// Copies the store as a process leaves it that is killed now.
    private Path killed() throws IOException {
        Path killed = Files.createDirectory(folder.resolve("killed"));
        for (String name : List.of("petstore.db", "petstore.db-wal")) {
            Files.copy(folder.resolve(name), killed.resolve(name));
        }
        return killed;
    }

    private static void assertDiskLost(Runnable operation) {
        assertThatThrownBy(operation::run).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE))
                .hasMessage("the store's disk failed; the service is stopping");
    }
}
