package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;

/// `deploy/backup`, which the timer and the container of Kubernetes run.
class BackupScriptIT {

    @TempDir
    private Path folder;
    private Path data;
    private Path backups;

    @BeforeEach
    void addAnimals() throws IOException {
        data = folder.resolve("data");
        backups = Files.createDirectory(folder.resolve("backups"));
        assertThat(PetstoreProcess.run("import", "examples/animals.ndjson", "--data", data.toString()).code()).isZero();
        program("exec \"$PETSTORE\" \"$@\"");
    }

    /// Puts a `petstore` on the PATH of the script.
    private void program(String text) throws IOException {
        Path file = Files.createDirectories(folder.resolve("bin")).resolve("petstore");
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private int backup(String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of("deploy/backup"), Stream.of(arguments)).toList()).redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().merge("PATH", folder.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
        builder.environment().put("PETSTORE", PetstoreProcess.LAUNCHER.toString());
        builder.environment().put("PETSTORE_DATA", data.toString());
        return builder.start().waitFor();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(backups)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void theLatestBackupsStayAndCanBeRestored() throws Exception {
        Files.createFile(backups.resolve("petstore-20200101T000000Z.db"));
        Files.createFile(backups.resolve("petstore-20200102T000000Z.db"));
        Files.createFile(backups.resolve("notes.txt"));
        Files.createFile(Files.createDirectory(backups.resolve("check-killed")).resolve("petstore.db"));
        assertThat(backup(backups.toString(), "2")).as(Files.readString(folder.resolve("output"))).isZero();
        assertThat(names()).hasSize(3).contains("notes.txt", "petstore-20200102T000000Z.db");
        String latest = names().getLast();
        assertThat(PetstoreProcess.run("restore", backups.resolve(latest).toString(), "--data",
                folder.resolve("restored").toString()).code()).isZero();
    }

    @Test
    void aBackupThatCannotBeRestoredIsRenamed() throws Exception {
        program("[ \"$1\" != restore ] || exit 1\nexec \"$PETSTORE\" \"$@\"");
        Files.createFile(backups.resolve("petstore-20200101T000000Z.db"));
        assertThat(backup(backups.toString(), "1")).isOne();
        assertThat(Files.readString(folder.resolve("output"))).contains("cannot be restored");
        assertThat(names()).hasSize(2).contains("petstore-20200101T000000Z.db")
                .anyMatch(name -> name.endsWith("-bad.db"));
    }

    @Test
    void wrongUsageDoesNothing() throws Exception {
        assertThat(backup()).isEqualTo(2);
        assertThat(backup(backups.toString(), "0")).isEqualTo(2);
        assertThat(backup(backups.toString(), "many")).isEqualTo(2);
        assertThat(names()).isEmpty();
    }
}
