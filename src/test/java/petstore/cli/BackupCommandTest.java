package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

class BackupCommandTest {

    @TempDir
    private Path folder;

    /// SQLite can open the copy here, but not the restored store, because the path of that store is longer.
    @Test
    void deletesAndDoesNotRecordBackupThatCannotBeRestored() throws IOException {
        Path data = folder.resolve("data");
        CommandLines.run(data, "import", "examples/animals.ndjson");
        Path outer = folder.resolve("a".repeat(200));
        Path backups = Files.createDirectories(outer.resolve("b".repeat(460 - outer.toString().length())));
        String file = backups.resolve("a.db").toString();

        Ending refused = CommandLines.ending(Map.of(), "backup", "--prove", file, "--data", data.toString());
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).singleElement().asString().contains("too long for SQLite");
        assertThat(backups).isEmptyDirectory();
        assertThat(recordedBackupTime(data)).containsExactly("0");

        file = folder.resolve("a.db").toString();
        Ending done = CommandLines.ending(Map.of(), "backup", "--prove", file, "--data", data.toString());
        assertThat(done.code()).isZero();
        assertThat(done.err()).singleElement().asString().startsWith("Backed up 46 animals to " + file)
                .endsWith(", verified and restored into a scratch folder");
        assertThat(folder).isDirectoryNotContaining("glob:**.part*");
        assertThat(recordedBackupTime(data)).doesNotContain("0");
    }

    private static List<String> recordedBackupTime(Path data) {
        try (StoreFile store = new StoreFile(data)) {
            return store.text("PRAGMA user_version");
        }
    }
}
