package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.CommandFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FolderLockTest {

    private static final List<Function<Path, FolderLock>> LOCKS = List.of(FolderLock::serve, FolderLock::change,
            FolderLock::replace);

    @TempDir
    private Path temporary;

    @Test
    void refusesLinkAsLockFile() throws IOException {
        Path data = Files.createDirectory(temporary.resolve("data"));
        Path lock = data.resolve("petstore.lock");
        Path other = Files.writeString(temporary.resolve("other"), "precious");
        for (Function<Path, FolderLock> acquire : LOCKS) {
            Files.createSymbolicLink(lock, other);
            assertRefused(acquire, data, "petstore.lock is a symbolic link");
            Files.delete(lock);
            Files.createLink(lock, other);
            assertRefused(acquire, data, "petstore.lock has 2 hard links");
            Files.delete(lock);
            Files.createSymbolicLink(lock, temporary.resolve("nothing"));
            assertRefused(acquire, data, "petstore.lock is a symbolic link");
            Files.delete(lock);
        }
        assertThat(other).hasContent("precious");
        assertThat(temporary.resolve("nothing")).doesNotExist();
    }

    /// The paths are checked before any file is created.
    @Test
    void createsNoLockFileIfDatabaseIsRefused() throws IOException {
        Path data = Files.createDirectory(temporary.resolve("data"));
        Files.createSymbolicLink(data.resolve("petstore.db"), Files.createFile(temporary.resolve("other")));
        for (Function<Path, FolderLock> acquire : LOCKS) {
            assertRefused(acquire, data, "petstore.db is a symbolic link");
            assertThat(data.resolve("petstore.lock")).doesNotExist();
        }
    }

    @Test
    void everyLockRepairsStoreAfterKilledRestore() throws IOException {
        for (Function<Path, FolderLock> acquire : LOCKS) {
            Path data = Files.createTempDirectory(temporary, "data");
            Path store = Files.createFile(data.resolve("petstore.db"));
            Path aside = Files.createLink(data.resolve("replaced-20261121-101112-131.db"), store);
            acquire.apply(data).close();
            assertThat(aside).doesNotExist();
            assertThat(store).exists();
        }
    }

    /// Without hard links, a killed restore leaves the store under another name.
    @Test
    void everyLockEndsRenamingOfKilledRestore() throws IOException {
        for (Function<Path, FolderLock> acquire : LOCKS) {
            Path data = Files.createTempDirectory(temporary, "data");
            createStore(data.resolve("petstore.db.replacing"), "old");
            acquire.apply(data).close();
            assertThat(data.resolve("petstore.db")).hasContent("old");
            assertThat(data.resolve("petstore.db-wal")).hasContent("log of old");
            assertThat(data.toFile().list()).hasSize(3);

            Files.delete(data.resolve("petstore.db-wal"));
            Files.writeString(data.resolve("petstore.db"), "new");
            Path replacing = data.resolve("petstore.db.replacing");
            createStore(replacing, "old");
            Files.setLastModifiedTime(replacing, FileTime.fromMillis(1));
            Files.writeString(data.resolve("replaced-19700101-000000-001.db"), "older");
            acquire.apply(data).close();
            assertThat(data.resolve("petstore.db")).hasContent("new");
            assertThat(data.resolve("replaced-19700101-000000-001.db")).hasContent("older");
            assertThat(data.resolve("replaced-19700101-000000-002.db")).hasContent("old");
            assertThat(data.resolve("replaced-19700101-000000-002.db-wal")).hasContent("log of old");
            assertThat(data.toFile().list()).hasSize(5);
        }
    }

    private static void createStore(Path file, String content) throws IOException {
        Files.writeString(file, content);
        Files.writeString(file.resolveSibling(file.getFileName() + "-wal"), "log of " + content);
    }

    @Test
    void everyLockDeletesPartsOfKilledRestore() throws IOException {
        for (Function<Path, FolderLock> acquire : LOCKS) {
            Path data = Files.createTempDirectory(temporary, "data");
            Files.createFile(data.resolve("petstore.db.1f.part"));
            Files.createFile(data.resolve("petstore.db.1f.part-wal"));
            List<String> others = List.of("animals.ndjson.1f.part", "petstore.db.mine.part", "petstore.lock");
            for (String other : others) {
                Files.createFile(data.resolve(other));
            }
            acquire.apply(data).close();
            assertThat(data.toFile().list()).containsExactlyInAnyOrderElementsOf(others);
        }
    }

    private static void assertRefused(Function<Path, FolderLock> acquire, Path data, String reason) {
        assertThatThrownBy(() -> acquire.apply(data).close()).isInstanceOf(CommandFailure.class)
                .hasMessageContaining(reason);
    }
}
