package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;
import petstore.Scope;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.SqliteCopy.VerifiedBackup;
import petstore.testkit.AbstractCatalogueTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Backups that are altered, damaged, or copied in place of a store.
///
/// `-Dpetstore.damages=N` damages N bytes instead of 50; `-Dpetstore.seed=N` damages the same bytes as an earlier run.
class SqliteCopyTest {

    private static final int DAMAGES = Integer.getInteger("petstore.damages", 50);
    private static final long SEED = Long.getLong("petstore.seed", new Random().nextLong());
    private static final int ANIMALS = 1_200;
    private static final List<Optional<PetStatus>> STATUSES = List.of(Optional.of(PetStatus.AVAILABLE),
            Optional.of(PetStatus.PENDING), Optional.of(PetStatus.SOLD), Optional.empty());
    /// All tables except that of the checksum, which only a backup has, and those that count changes, which rise with a restore.
    private static final String TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
            + " AND name <> 'backup_checksum' AND name NOT GLOB '*_change'";

    @TempDir
    private Path folder;
    private Path store;
    private Path backup;

    @BeforeEach
    void makeBackup() {
        store = folder.resolve("store");
        backup = folder.resolve("backup.db");
        try (SqlStore opened = SqlStore.of(Sqlite.forCommand(store, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            opened.catalogue().addAll(IntStream.range(0, ANIMALS).mapToObj(SqliteCopyTest::animal).toList());
            AbstractCatalogueTest.added(opened.catalogue(), animal(1));
            opened.keys().add(ApiKey.issued(new KeyToken("4fQ0c8sXbT", "secret"), "shop", Set.of(Scope.READ),
                    Instant.ofEpochMilli(1_000), Optional.empty(), Optional.empty()));
        }
        execute(SqliteFile.in(store), "INSERT INTO idempotency (owner, operation, idempotency_key, fingerprint, pet_id,"
                + " received_ms) VALUES ('shop', 'createPet', 'first', 'f', 1, 1)");
        assertThat(backUp(store, backup)).isEqualTo(new VerifiedBackup(ANIMALS + 1, true));
    }

    private static VerifiedBackup backUp(Path data, Path file) {
        return SqliteCopy.backup(data, file, Instant.EPOCH, false, _ -> {
        });
    }

    @Test
    void progressIncludesVerification() {
        List<Long> progress = new ArrayList<>();
        SqliteCopy.backup(store, folder.resolve("other.db"), Instant.EPOCH, false, progress::add);
        long pages = SqliteCopy.pages(store);
        assertThat(progress).isSorted().contains(pages, 2 * pages).last().isEqualTo(SqliteCopy.PASSES * pages);
    }

    private static NewPet animal(int number) {
        return new NewPet("Nr. " + number + " – Zoë 🐈", number % 7, STATUSES.get(number % STATUSES.size()));
    }

    @Test
    void backupErrorNamesDamagedStore() throws IOException {
        Path damaged = Files.createDirectory(folder.resolve("damaged"));
        Files.writeString(damaged.resolve("petstore.db"), "This is not a database. ".repeat(500));
        assertThatThrownBy(() -> backUp(damaged, folder.resolve("other.db"))).isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("the store " + damaged.resolve("petstore.db") + " ")
                .hasMessageEndingWith("; put a backup in its place with 'petstore restore FILE'");
    }

    @Test
    void detectsDamagedBytesUnlessContentsAreUnchanged() throws IOException {
        byte[] good = Files.readAllBytes(backup);
        List<String> contents = contents(backup);
        SplittableRandom random = new SplittableRandom(SEED);
        System.out.println("SqliteCopyTest: -Dpetstore.seed=" + SEED);
        int refused = 0;
        for (int i = 0; i < DAMAGES; i++) {
            byte[] damaged = good.clone();
            int offset = random.nextInt(damaged.length);
            damaged[offset] ^= (byte) random.nextInt(1, 256);
            Files.write(backup, damaged);
            Path data = folder.resolve("restored-" + i);
            try {
                restore(data);
                try (SqlStore opened = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
                    opened.check();
                }
            } catch (CommandFailure | Failure e) {
                refused++;
                continue;
            }
            assertThat(contents(SqliteFile.in(data)))
                    .as("byte %d is %d instead of %d", offset, damaged[offset], good[offset])
                    .isEqualTo(contents);
        }
        assertThat(refused).isPositive();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "table pet is altered | ALTER TABLE pet RENAME COLUMN category_id TO category",
            "table pet is altered | ALTER TABLE pet ADD COLUMN tag TEXT",
            "table api_key is altered | PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = 'api_key'",
            "table pet is altered | PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'AUTOINCREMENT', '') WHERE name = 'pet'",
            "table idempotency is altered | PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'fingerprint TEXT NOT NULL', 'fingerprint TEXT') WHERE name = 'idempotency'",
            "table schema_version is altered | ALTER TABLE schema_version RENAME COLUMN version TO number",
            "table api_key is missing | ALTER TABLE api_key RENAME TO keys",
            "table backup_checksum is missing | DROP TABLE backup_checksum",
            "index pet_status is missing | DROP INDEX pet_status",
            "index pet_status is altered | DROP INDEX pet_status; CREATE INDEX pet_status ON pet (status)",
            "view catalogue_version is altered | DROP VIEW catalogue_version; CREATE VIEW catalogue_version AS SELECT 1 AS last_id",
            "index pet_name does not belong there | CREATE INDEX pet_name ON pet (name)",
            "table other does not belong there | CREATE TABLE other (id INTEGER)",
            "trigger lose does not belong there | CREATE TRIGGER lose AFTER INSERT ON pet BEGIN DELETE FROM pet; END"})
    void refusesAlteredSchemaAndNamesFirstDifference(String difference, String sql) throws IOException {
        execute(backup, "DELETE FROM backup_checksum", "PRAGMA application_id = 0");
        execute(backup, sql.split("; (?!END)", 0));
        List<String> before = state();
        assertThatThrownBy(() -> restore(store)).isInstanceOf(CommandFailure.class).hasMessage(
                backup + " has another schema than petstore makes: the " + difference);
        assertThat(state()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE pet SET name = 'Rex' WHERE id = 2", "UPDATE pet SET status = NULL WHERE id = 1",
            "DELETE FROM pet WHERE id = 1000", "DELETE FROM pet WHERE id = 1001",
            "UPDATE pet SET name = 'Rex' WHERE id = 1201",
            "INSERT INTO pet (id, name, category_id) VALUES (5000, 'Rex', 1)",
            "UPDATE api_key SET scopes = 'pets:read pets:write'", "DELETE FROM api_key",
            "UPDATE idempotency SET pet_id = 2", "UPDATE api_key_change SET changes = 9",
            "UPDATE sqlite_sequence SET seq = 2000 WHERE name = 'pet'",
            "DELETE FROM backup_checksum",
            "UPDATE backup_checksum SET sha256 = upper(sha256)", "INSERT INTO backup_checksum VALUES ('more')",
            "PRAGMA application_id = 0", "PRAGMA application_id = 7"})
    void refusesAlteredContents(String sql) throws IOException {
        execute(backup, sql);
        List<String> before = state();
        assertThatThrownBy(() -> restore(store)).isInstanceOf(CommandFailure.class).hasMessage(
                backup + " is damaged: its contents do not match its checksum; use another backup");
        assertThat(state()).isEqualTo(before);
    }

    /// As `VACUUM INTO` of SQLite makes it, or as a restore keeps the replaced store.
    @Test
    void acceptsBackupWithoutChecksumAndMark() throws IOException {
        Path copy = folder.resolve("copy.db");
        execute(SqliteFile.in(store), "VACUUM INTO '" + copy + "'");
        Files.move(copy, backup, StandardCopyOption.REPLACE_EXISTING);
        assertThat(SqliteCopy.verify(backup)).isEqualTo(new VerifiedBackup(ANIMALS + 1, false));
        restore(store);
        assertThat(contents(SqliteFile.in(store))).isEqualTo(contents(backup));
    }

    /// Statistics are up to the operator, so they do not count as an altered schema.
    @ParameterizedTest
    @ValueSource(strings = {"VACUUM", "ANALYZE", "REINDEX"})
    void acceptsMaintenanceBySqlite(String sql) {
        execute(backup, sql);
        assertThat(SqliteCopy.verify(backup).hasChecksum()).isTrue();
        execute(SqliteFile.in(store), sql);
        assertThat(backUp(store, folder.resolve("other.db")).hasChecksum()).isTrue();
    }

    @Test
    void backsUpAndRestoresStoreChangedBySql() throws IOException {
        execute(SqliteFile.in(store), "UPDATE pet SET name = 'Tom' WHERE id = 1", "DELETE FROM pet WHERE id = 2");
        Files.delete(backup);
        assertThat(SqliteCopy.backup(store, backup, Instant.EPOCH, true, _ -> {
        })).isEqualTo(new VerifiedBackup(ANIMALS, true));
        Path data = folder.resolve("data");
        restore(data);
        assertThat(contents(SqliteFile.in(data))).isEqualTo(contents(SqliteFile.in(store)));
        assertThat(query(SqliteFile.in(data), "SELECT changes FROM catalogue_version")).containsExactly("3");
    }

    /// A page or a key that a client knows from before must not look like the restored one.
    @Test
    void numbersOfBothStoresDoNotComeBack() throws IOException {
        execute(SqliteFile.in(store), "UPDATE pet SET name = 'Tom' WHERE id = 1", "DELETE FROM pet WHERE id > 1200",
                "UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'pet'",
                "UPDATE api_key_change SET changes = 40");
        restore(store);
        assertThat(query(SqliteFile.in(store), "SELECT name || seq FROM sqlite_sequence ORDER BY name"))
                .containsExactly("pet5000");
        assertThat(query(SqliteFile.in(store), "SELECT (SELECT changes FROM pet_change) || ' ' || changes"
                + " FROM api_key_change")).containsExactly("3 41");
        Path other = folder.resolve("other");
        restore(other);
        assertThat(query(SqliteFile.in(other), "SELECT name || seq FROM sqlite_sequence ORDER BY name"))
                .containsExactly("pet1201");
        assertThat(query(SqliteFile.in(other), "SELECT (SELECT changes FROM pet_change) || ' ' || changes"
                + " FROM api_key_change")).containsExactly("1 2");
    }

    /// The schema of the replaced store does not matter: an operator may have added to it, or a newer version.
    @Test
    void restoreReplacesAlteredSchema() throws IOException {
        execute(SqliteFile.in(store), "CREATE TABLE other (id INTEGER)", "CREATE INDEX pet_name ON pet (name)",
                "CREATE VIEW more AS SELECT * FROM other",
                "CREATE VIRTUAL TABLE pet_fts USING fts5(name)", "ALTER TABLE pet ADD COLUMN tag TEXT",
                "CREATE TRIGGER lose AFTER INSERT ON pet BEGIN DELETE FROM pet; END",
                "INSERT INTO schema_version VALUES (1000)", "ANALYZE", "PRAGMA application_id = 7");
        restore(store);
        assertThat(contents(SqliteFile.in(store))).isEqualTo(contents(backup));
        Path second = folder.resolve("again.db");
        assertThat(backUp(store, second)).isEqualTo(new VerifiedBackup(ANIMALS + 1, true));
    }

    /// Later backups have that size, too.
    @Test
    void restoredStoreIsNotLargerThanItsAnimals() throws IOException {
        Path small = folder.resolve("small");
        SqlStore.of(Sqlite.forCommand(small, SchemaPolicy.AUTO, StoreAccess.CREATE)).close();
        Files.delete(backup);
        backUp(small, backup);
        long before = Files.size(SqliteFile.in(store));
        restore(store);
        assertThat(Files.size(SqliteFile.in(store))).isLessThan(before).isEqualTo(Files.size(backup));
    }

    @Test
    void restoreRemovesChecksumAndMark() throws IOException {
        restore(store);
        assertHasNoChecksumOrMark(store);
        assertThat(names(store))
                .allMatch(name -> name.matches("petstore\\.(db|lock)(-wal|-shm)?|replaced-19700101-000000-000\\.db"));
    }

    @Test
    void removesChecksumIfCopiedBackupIsOpenedToWrite() throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.copy(backup, SqliteFile.in(data));
        Path secondBackup = folder.resolve("again.db");
        assertThat(backUp(data, secondBackup)).isEqualTo(new VerifiedBackup(ANIMALS + 1, true));
        try (SqlStore first = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE));
                SqlStore second = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.CHECK, StoreAccess.CREATE))) {
            assertHasNoChecksumOrMark(data);
            Pet pet = AbstractCatalogueTest.added(first.catalogue(), animal(2));
            assertThat(AbstractCatalogueTest.awaited(second.catalogue().find(pet.id()))).contains(pet);
        }
        Files.delete(secondBackup);
        assertThat(backUp(data, secondBackup)).isEqualTo(new VerifiedBackup(ANIMALS + 2, true));
    }

    /// A command that reads keeps the mark in the database, although its log has new animals.
    @Test
    void startsAfterKillWhileCopiedBackupIsRead() throws IOException, SQLException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.copy(backup, SqliteFile.in(data));
        Path killed = Files.createDirectory(folder.resolve("killed"));
        try (Session reader = SqliteFile.connectReader(SqliteFile.in(data))) {
            reader.execute("BEGIN");
            reader.text("SELECT count(*) FROM pet");
            try (SqlStore opened = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
                AbstractCatalogueTest.added(opened.catalogue(), animal(2));
                for (String name : List.of("petstore.db", "petstore.db-wal", "petstore.lock")) {
                    Files.copy(data.resolve(name), killed.resolve(name));
                }
            }
        }
        assertThat(query(SqliteFile.in(data), "PRAGMA application_id")).containsExactly("0");
        try (SqlStore opened = SqlStore.of(Sqlite.forCommand(killed, SchemaPolicy.AUTO, StoreAccess.READ))) {
            assertThat(opened.catalogue().count()).isEqualTo(ANIMALS + 2);
        }
    }

    @Test
    void refusesToBackUpStoreWithAlteredSchema() throws IOException {
        execute(SqliteFile.in(store), "CREATE TABLE \"of the shop\" (id INTEGER)");
        Path other = folder.resolve("other.db");
        assertThatThrownBy(() -> backUp(store, other)).isInstanceOf(CommandFailure.class)
                .hasMessage(SqliteFile.in(store)
                        + " has another schema than petstore makes: the table of the shop does not belong there");
        assertThat(names(folder)).containsExactly("backup.db", "store");
    }

    /// A new checksum would hide the damage.
    @Test
    void refusesToBackUpDamagedCopyOfBackup() throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.copy(backup, SqliteFile.in(data));
        execute(SqliteFile.in(data), "UPDATE pet SET name = 'Rex' WHERE id = 2");
        Path secondBackup = folder.resolve("again.db");
        assertThatThrownBy(() -> backUp(data, secondBackup)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("do not match its checksum");
        assertThat(names(folder)).doesNotContain("again.db").noneMatch(name -> name.contains(".part"));
    }

    private void restore(Path data) throws IOException {
        Files.createDirectories(data);
        SqliteRestore.restore(backup, data, Instant.EPOCH, _ -> {
        });
    }

    private static void assertHasNoChecksumOrMark(Path data) {
        assertThat(query(SqliteFile.in(data), "PRAGMA application_id")).containsExactly("0");
        assertThat(query(SqliteFile.in(data), "SELECT sha256 FROM backup_checksum")).isEmpty();
    }

    /// Returns the names of all files, and the contents of the store.
    private List<String> state() throws IOException {
        List<String> state = new ArrayList<>(contents(SqliteFile.in(store)));
        state.addAll(names(folder));
        state.addAll(names(store));
        return state;
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /// Returns every value of every table.
    private static List<String> contents(Path file) {
        List<String> contents = new ArrayList<>();
        for (String table : query(file, TABLES + " ORDER BY name")) {
            contents.add(table);
            contents.addAll(query(file, "SELECT * FROM " + table + " ORDER BY rowid"));
        }
        return contents;
    }

    private static void execute(Path file, String... sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String command : sql) {
                statement.execute(command);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> query(Path file, String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    values.add(String.valueOf(row.getString(i)));
                }
                rows.add(String.join("|", values));
            }
            return rows;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
