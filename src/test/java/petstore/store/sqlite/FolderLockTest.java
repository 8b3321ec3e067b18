package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FolderLockTest {

    @TempDir
    private Path temporary;

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
}
