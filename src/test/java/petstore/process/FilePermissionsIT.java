package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.Shell;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// Folders and files that the program may not write, may not read, or may not execute from.
class FilePermissionsIT {

    @TempDir
    private Path folder;
    private Shell shell;

    @BeforeEach
    void makeStore() throws IOException {
        shell = new Shell(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        CommandLines.run(shell.data(), "keys", "create", "--name", "shop");
        CommandLines.run(shell.data(), "import", "examples/animals.ndjson");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mount -t tmpfs -o noexec none tmp", "mount -t tmpfs -o ro none tmp", "rm -rf tmp"})
    void namesUnusableTemporaryFolder(String fault) throws IOException {
        assumeMountsAllowed();
        Files.createDirectory(folder.resolve("tmp"));
        for (String command : new String[]{"keys list", "serve --port 0 --admin-port 0"}) {
            PetstoreProcess.Ending ending = runWithMounts(fault,
                    "PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=tmp petstore " + command);
            assertThat(ending.code()).as(command).isEqualTo(1);
            assertThat(ending.out()).as(command).isEmpty();
            // Java itself prints a warning if the folder does not exist.
            assertThat(ending.err().stream().filter(line -> !line.startsWith("WARNING: java.io.tmpdir"))).as(command)
                    .singleElement().asString()
                    .startsWith("petstore: the folder for temporary files, tmp, ")
                    .contains("PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=");
        }
    }

    @Test
    void readsStoreOnReadOnlyMount() {
        assumeMountsAllowed();
        String mount = "mount --bind data data && mount -o remount,ro,bind data";
        assertReads(runWithMounts(mount, "petstore keys list && petstore export - && petstore backup copy.db"));
        for (String command : new String[]{"keys create --name x", "serve --port 0 --admin-port 0",
                "import animals.ndjson"}) {
            assertThat(runWithMounts(mount, "echo >animals.ndjson; petstore " + command).err()).as(command)
                    .singleElement()
                    .asString().contains("data (--data) cannot be written").contains("Read-only file system");
        }
        try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
            assertThat(shell.run("petstore keys create --name beside").code()).isZero();
            assertThat(server.isAlive()).isTrue();
            assertThat(runWithMounts(mount, "petstore export -").err()).singleElement().asString()
                    .contains("petstore.db-wal");
        }
    }

    @Test
    void readsStoreOfAnotherUser() {
        String user = asUser();
        shell.run("chmod 755 data; chmod 644 data/*; mkdir own; chmod 777 own");
        assertReads(shell.run(user + "petstore keys list && " + user + "petstore export - && " + user
                + "petstore backup own/copy.db"));
        shell.run("chmod 777 data");
        assertReads(shell.run(user + "petstore keys list && " + user + "petstore export - "));
        assertThat(shell.run("ls data").out()).doesNotContain("petstore.db-wal", "petstore.db-shm");
    }

    @ParameterizedTest
    @ValueSource(strings = {"petstore.db", "petstore.db-wal", "petstore.db-shm", "petstore.lock"})
    void namesFileOfAnotherUser(String file) {
        String user = asUser();
        shell.run("chmod 777 data; touch data/petstore.db-wal data/petstore.db-shm; chmod 666 data/*; chmod 600 data/"
                + file);
        PetstoreProcess.Ending ending = shell.run(user + "petstore serve --port 0 --admin-port 0");
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).singleElement().asString()
                .contains("data/" + file + " cannot be written; it belongs to the user root");
    }

    /// The doctor cannot know whether the petstore on the port serves this folder.
    @Test
    void doctorDoesNotGuessWhichFolderIsServed() {
        String user = asUser();
        try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
            shell.run("chmod 711 data");
            String ports = " --port " + server.port() + " --admin-port " + server.adminPort();
            assertThat(shell.run(user + "petstore doctor" + ports).out())
                    .anyMatch(line -> line.matches("fail +store +.*/petstore.db cannot be read: permission denied"))
                    .anyMatch(line -> line.matches("ok +api port +.* is in use by a petstore that is ready"));
        }
    }

    private static void assertReads(PetstoreProcess.Ending ending) {
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).anyMatch(line -> line.contains("shop")).anyMatch(line -> line.contains("Whiskers"));
    }

    /// Runs a script after mounts that no other process sees.
    private PetstoreProcess.Ending runWithMounts(String mounts, String script) {
        return shell.run("unshare --map-root-user --mount bash -c '" + mounts + "; " + script + "'");
    }

    private void assumeMountsAllowed() {
        assumeThat(Tools.isInstalled("unshare") && shell.run("unshare --map-root-user --mount true").code() == 0)
                .as("this user may mount a file system").isTrue();
    }

    /// Returns the beginning of a command that another user runs.
    private static String asUser() {
        return String.join(" ", Tools.asUser(60_998)) + " ";
    }
}
