package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// Folders and files that the program may not write, may not read, or may not execute from.
class FilePermissionsIT extends AbstractShellTest {

    /// Nobody: Java has performance data only for users with a name.
    private static final int USER_WITH_NAME = 65_534;

    @BeforeEach
    void makeStore() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        CommandLines.run(shell.data(), "keys", "create", "--name", "shop");
        CommandLines.run(shell.data(), "import", "examples/animals.ndjson");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mount -t tmpfs -o noexec none tmp", "mount -t tmpfs -o ro none tmp", "rm -rf tmp"})
    void needsNoTemporaryFolder(String fault) throws IOException {
        assumeMountsAllowed();
        Files.createDirectory(folder.resolve("tmp"));
        PetstoreProcess.Ending ending = runWithMounts(fault, """
                export PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=tmp
                petstore keys list
                : > out
                petstore serve --port 0 --admin-port 0 >> out 2> err &
                until grep -q "Petstore is ready" out; do kill -0 $! || exit; sleep 0.1; done
                kill $!
                wait $!""");
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).anyMatch(line -> line.contains("shop"));
        // Java itself prints a warning if the folder does not exist.
        assertThat(ending.err()).allMatch(line -> line.startsWith("WARNING: java.io.tmpdir"));
    }

    /// Java itself could not start.
    @ParameterizedTest
    @ValueSource(strings = {"--version", "serve", "healthcheck"})
    void namesDeletedCurrentFolder(String command) {
        PetstoreProcess.Ending ending = shell.run("mkdir gone && cd gone && rmdir ../gone && petstore " + command);
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.out()).isEmpty();
        // The shell that runs the launcher prints a line, too.
        assertThat(ending.err()).filteredOn(line -> !line.contains("getcwd")).containsExactly(
                "petstore: the current folder was deleted; change to another folder");
    }

    /// Java's performance data would move to their own folder, and write the store there.
    @ParameterizedTest
    @ValueSource(strings = {"import -", "serve --port 0 --admin-port 0"})
    void findsNoStoreBelowUnreadableCurrentFolder(String command) {
        PetstoreProcess.Ending ending = shell.run("mkdir mine && cd mine && chmod 0 . && echo '{}' | "
                + asUser(USER_WITH_NAME) + "petstore " + command);
        assertThat(ending.err()).containsExactly(
                "petstore: the store's folder ./data (--data) cannot be read: permission denied");
        assertThat(ending.code()).isEqualTo(1);
    }

    @Test
    void namesLibraryThatCannotBeLoaded() {
        assumeMountsAllowed();
        Path lib = PetstoreProcess.LAUNCHER.resolveSibling("lib");
        PetstoreProcess.Ending ending = runWithMounts(
                "mount --bind " + lib + " " + lib + " && mount -o remount,bind,noexec " + lib, "petstore keys list");
        assertThat(ending.code()).as(ending.toString()).isEqualTo(1);
        assertThat(ending.err()).singleElement().asString()
                .matches("petstore: .*/lib/libsqlitejdbc-.*\\.so cannot be loaded:"
                        + " failed to map segment from shared object; unpack petstore again, on a file system without noexec");
    }

    /// SQLite needs a lock to read one moment of the store.
    @Test
    void saysHowToReadStoreOnReadOnlyMount() {
        assumeMountsAllowed();
        String mount = "mount --bind data data && mount -o remount,ro,bind data";
        for (String command : new String[]{"keys list", "export -", "backup copy.db", "keys create --name x",
                "serve --port 0 --admin-port 0", "import animals.ndjson", "import --dry-run animals.ndjson"}) {
            PetstoreProcess.Ending ending = runWithMounts(mount,
                    "echo >animals.ndjson; petstore " + command);
            assertThat(ending.code()).as(command).isEqualTo(1);
            assertThat(ending.err()).as(command).containsExactly("petstore: the store's folder ./data (--data) cannot"
                    + " be written: Read-only file system; to read the store, stop the server, copy the folder to"
                    + " another disk, and name the copy with --data");
        }
        assertReads(shell.run("cp -r data copy && petstore keys list --data copy && petstore export - --data copy"));
    }

    @Test
    void namesOwnerOfStoreOfAnotherUser() {
        String user = asUser(60_998);
        shell.run("chmod 755 data; chmod 644 data/*");
        for (String command : new String[]{"keys list", "export -", "backup copy.db"}) {
            assertThat(shell.run(user + "petstore " + command).err()).as(command)
                    .containsExactly("petstore: the store's"
                            + " folder ./data (--data) cannot be written; it belongs to the user root: run this as that user,"
                            + " or change the owner");
        }
        shell.run("chmod 777 data; chmod 666 data/*");
        assertReads(shell.run(user + "petstore keys list && " + user + "petstore export - "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"petstore.db", "petstore.db-wal", "petstore.db-shm", "petstore.lock"})
    void namesFileOfAnotherUser(String file) {
        String user = asUser(60_998);
        shell.run("chmod 777 data; touch data/petstore.db-wal data/petstore.db-shm; chmod 666 data/*; chmod 600 data/"
                + file);
        PetstoreProcess.Ending ending = shell.run(user + "petstore serve --port 0 --admin-port 0");
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).singleElement().asString()
                .contains("data/" + file + " cannot be written; it belongs to the user root");
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
    private static String asUser(int user) {
        return String.join(" ", Tools.asUser(user)) + " ";
    }
}
