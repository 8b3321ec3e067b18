package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    void ownerDeletesPartsOfKilledRestore() throws IOException {
        for (Function<Path, FolderLock> acquire : List.<Function<Path, FolderLock>>of(FolderLock::serve,
                FolderLock::replace)) {
            Path data = Files.createTempDirectory(temporary, "data");
            Files.createFile(data.resolve("petstore.db.1f.part"));
            Files.createFile(data.resolve("petstore.db.1f.part-wal"));
            Files.createFile(data.resolve("replaced-20261121-101112-131.db.1f.part"));
            List<String> others = List.of("animals.ndjson.1f.part", "petstore.db.mine.part", "petstore.lock",
                    "replaced-20261121-101112-131.db");
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
