package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractCatalogueTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The files of a store: the checks before SQLite opens them, and the files that a restore replaces.
class StoreFilesTest {

    private static final String DATABASE = "petstore.db";

    @TempDir
    private Path temporary;
    private Path data;

    @BeforeEach
    void createFolder() throws IOException {
        data = Files.createDirectory(temporary.resolve("data"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"petstore.lock", DATABASE, "petstore.db-wal", "petstore.db-shm", "petstore.db-journal"})
    void refusesLinksAndFoldersInPlaceOfFiles(String name) throws IOException {
        add("Whiskers");
        Files.deleteIfExists(data.resolve(name));
        Path other = Files.writeString(temporary.resolve("other"), "precious");
        List<Path> before = files(data);
        for (String kind : List.of("a symbolic link", "2 hard links", "not a regular file")) {
            switch (kind) {
                case "a symbolic link" -> Files.createSymbolicLink(data.resolve(name), other);
                case "2 hard links" -> Files.createLink(data.resolve(name), other);
                default -> Files.createDirectory(data.resolve(name));
            }
            for (ThrowingCallable use : uses()) {
                assertThatThrownBy(use).isInstanceOf(CommandFailure.class)
                        .hasMessageContaining(data.resolve(name) + " ")
                        .hasMessageContaining(kind);
            }
            assertThat(other).hasContent("precious");
            Files.delete(data.resolve(name));
            assertThat(files(data)).as("no file is created").isEqualTo(before);
        }
    }

    /// Returns every use of a store's files that inspects them first.
    private List<ThrowingCallable> uses() {
        return List.of(this::add, () -> FolderLock.serve(data).close(), () -> FolderLock.replace(data).close(),
                () -> FolderLock.read(data).close(), () -> SqliteFile.exists(data));
    }

    /// The paths are inspected before any file is created.
    @Test
    void refusesDanglingLink() throws IOException {
        Path link = Files.createSymbolicLink(data.resolve(DATABASE), temporary.resolve("nothing"));
        for (ThrowingCallable use : uses()) {
            assertThatThrownBy(use).isInstanceOf(CommandFailure.class).hasMessageContaining("is a symbolic link");
        }
        assertThat(files(data)).containsExactly(link);
        assertThat(temporary.resolve("nothing")).doesNotExist();
    }

    @Test
    void resolvesLinkToFolder() throws IOException {
        Path link = Files.createSymbolicLink(temporary.resolve("link"), data);
        assertThat(StoreFiles.resolve(link)).isEqualTo(data.toRealPath());
        assertThat(StoreFiles.resolve(link.resolve("new/store"))).isEqualTo(data.toRealPath().resolve("new/store"));
        assertThat(StoreFiles.resolve(Path.of("./no/such/folder"))).isEqualTo(Path.of("./no/such/folder"));
        Path dangling = Files.createSymbolicLink(temporary.resolve("dangling"), temporary.resolve("nothing"));
        assertThatThrownBy(() -> StoreFiles.resolve(dangling.resolve("store"))).isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith(dangling + " is a symbolic link to a missing folder");
    }

    /// SQLite would delete the log.
    @ParameterizedTest
    @CsvSource({"-wal, false", "-journal, false", "-wal, true"})
    void refusesLogWithoutDatabase(String suffix, boolean emptyDatabase) throws IOException {
        Path log = data.resolve(DATABASE + suffix);
        addAndKill("Whiskers");
        Files.move(data.resolve("petstore.db-wal"), log, StandardCopyOption.REPLACE_EXISTING);
        byte[] content = Files.readAllBytes(log);
        Files.delete(data.resolve(DATABASE));
        if (emptyDatabase) {
            Files.createFile(data.resolve(DATABASE));
        }
        assertThatThrownBy(this::add).isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith(log + " belongs to a store, but "
                        + data.resolve(DATABASE) + " is missing or empty; put that back, or run 'petstore restore'");
        assertThatThrownBy(() -> SqliteFile.exists(data)).isInstanceOf(CommandFailure.class);
        assertThat(log).hasBinaryContent(content);
    }

    /// A kill between the first two steps of SQLite leaves these files.
    @Test
    void acceptsEmptyDatabaseWithJournal() throws IOException {
        Files.createFile(data.resolve(DATABASE));
        Files.write(data.resolve("petstore.db-journal"), new byte[512]);
        add("Whiskers");
        assertThat(names(data)).containsExactly("Whiskers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-wal", "-shm", "-journal"})
    void backupRefusesNameThatHasCompanionFile(String suffix) throws IOException {
        add("Whiskers");
        Path backup = temporary.resolve("backup.db");
        Files.writeString(temporary.resolve("backup.db" + suffix), "stale");
        assertThatThrownBy(() -> backup()).isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith(backup + suffix + " would be read as a part of " + backup);
        assertThat(backup).doesNotExist();
    }

    /// The replaced `petstore.db` is whole, damaged, empty or missing, and has a companion file.
    @ParameterizedTest
    @CsvSource({"whole, -wal", "damaged, -wal", "empty, -wal", "missing, -wal", "missing, -journal", "missing, -shm",
            "whole, -journal"})
    void restoreReplacesStoreInEveryState(String database, String suffix) throws IOException {
        add("Whiskers");
        Path backup = backup();
        addAndKill("Rex");
        Path file = data.resolve(DATABASE);
        if (!suffix.equals("-wal")) {
            add("Tom");
            Files.write(data.resolve(DATABASE + suffix), new byte[4096]);
        }
        byte[] log = Files.readAllBytes(data.resolve(DATABASE + suffix));
        byte[] damaged = new byte[8192];
        switch (database) {
            case "damaged" -> Files.write(file, damaged);
            case "empty" -> Files.write(file, new byte[0]);
            case "missing" -> Files.delete(file);
            default -> assertThat(file).exists();
        }
        SqliteRestore.Restored restored = SqliteRestore.restore(backup, data, Instant.EPOCH, _ -> {
        });
        assertThat(names(data)).containsExactly("Whiskers");
        assertThat(restored.keepsIds()).isEqualTo(database.equals("whole") || suffix.equals("-shm"));

        String kept = "replaced-19700101-000000-000";
        if (database.equals("damaged")) {
            assertThat(data.resolve(kept + ".db")).hasBinaryContent(damaged);
            assertThat(data.resolve(kept + ".db-wal")).hasBinaryContent(log);
        } else if (database.equals("whole")) {
            assertThat(restored.kept()).containsExactly(data.resolve(kept + ".db"));
            assertThat(names(moveToNewFolder(kept + ".db"))).startsWith("Whiskers", "Rex");
        } else if (!suffix.equals("-shm")) {
            assertThat(restored.kept()).singleElement(InstanceOfAssertFactories.PATH)
                    .isEqualTo(data.resolve(kept + suffix.replace('-', '.'))).hasBinaryContent(log);
        } else {
            assertThat(restored.kept()).isEmpty();
        }
    }

    /// A connection that reads keeps its snapshot, and the file keeps its inode.
    @Test
    void restoreKeepsFileAndSnapshotOfReader() throws IOException, SQLException {
        add("Whiskers");
        Path backup = backup();
        addAndKill("Rex");
        Object file = StoreFiles.key(data.resolve(DATABASE));
        try (Session reader = SqliteFile.connectReader(data.resolve(DATABASE))) {
            reader.execute("BEGIN");
            assertThat(reader.text("SELECT count(*) FROM pet")).isEqualTo("2");
            SqliteRestore.restore(backup, data, Instant.EPOCH, _ -> {
            });
            assertThat(names(data)).containsExactly("Whiskers");
            assertThat(reader.text("SELECT count(*) FROM pet")).isEqualTo("2");
        }
        assertThat(StoreFiles.key(data.resolve(DATABASE))).isEqualTo(file);
        assertThat(names(moveToNewFolder("replaced-19700101-000000-000.db"))).containsExactly("Whiskers", "Rex");
    }

    @Test
    void failedRestoreLeavesStoreUnchanged() throws IOException {
        add("Whiskers");
        Path backup = backup();
        addAndKill("Rex");
        Files.writeString(data.resolve("replaced-19700101-000000-000.db-wal"), "in the way");
        assertThatThrownBy(() -> SqliteRestore.restore(backup, data, Instant.EPOCH, _ -> {
        })).isInstanceOf(CommandFailure.class);
        assertThat(names(data)).containsExactly("Whiskers", "Rex");
        assertThat(files(data)).extracting(Path::getFileName).extracting(Path::toString)
                .containsExactly(DATABASE, "petstore.lock", "replaced-19700101-000000-000.db-wal");
    }

    private Path backup() {
        Path backup = temporary.resolve("backup.db");
        SqliteCopy.backup(data, backup, Instant.EPOCH, false, _ -> {
        });
        return backup;
    }

    private void add(String... names) {
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            addTo(store, names);
        }
    }

    private static void addTo(SqlStore store, String... names) {
        for (String name : names) {
            AbstractCatalogueTest.added(store.catalogue(), new NewPet(name, 7, Optional.empty()));
        }
    }

    /// Leaves the store as after a process that added animals and was killed: the animals are only in the log.
    private void addAndKill(String... names) throws IOException {
        Path copy = Files.createDirectories(temporary.resolve("copy"));
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            addTo(store, names);
            for (Path file : files(data)) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        for (Path file : files(copy)) {
            Files.move(file, data.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(data.resolve("petstore.db-wal")).isNotEmptyFile();
    }

    /// Moves a kept store and its companions to a new folder, and returns that folder.
    private Path moveToNewFolder(String kept) throws IOException {
        Path folder = Files.createDirectory(temporary.resolve("kept"));
        for (Path file : files(data)) {
            String name = file.getFileName().toString();
            if (name.startsWith(kept)) {
                Files.move(file, folder.resolve(name.replace(kept, DATABASE)));
            }
        }
        return folder;
    }

    private static List<String> names(Path folder) {
        List<String> names = new ArrayList<>();
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            store.catalogue().forEachGroup(pets -> pets.forEach(pet -> names.add(pet.name())));
        }
        return names;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
