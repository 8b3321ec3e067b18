package petstore.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.Programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The script `deploy/backup`, which the systemd timer and the Kubernetes container run, and the script of the Kubernetes job for
/// PostgreSQL.
class BackupScriptIT {

    private static final String OLDEST = "petstore-20200101T000000Z.db";
    private static final String OLDER = "petstore-20200102T000000Z.db";
    private static final List<String> LATER = List.of("petstore-29990101T000000Z.db", "petstore-29990102T000000Z.db");
    private static final String LOCK = "petstore-backup.lock";

    @TempDir
    private Path folder;
    private Path data;
    private Path backups;
    private Path script;

    /// Creates an unpacked archive and two backups.
    @BeforeEach
    void createArchiveAndBackups() throws IOException {
        data = folder.resolve("data");
        Path deploy = Files.createDirectories(folder.resolve("archive/deploy"));
        Files.copy(Path.of("deploy/backup"), deploy.resolve("backup"));
        script = Files.createSymbolicLink(folder.resolve("link"), deploy.resolve("backup"));
        backups = Files.createDirectory(folder.resolve("-backups"));
        Files.createFile(backups.resolve(OLDEST));
        Files.createFile(backups.resolve(OLDER));
    }

    /// Creates an executable `petstore` beside the script's folder.
    private void createPetstore(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("archive/petstore"), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// Creates backups. Returns their names.
    ///
    /// @param name the format of their names with the numbers from `first` to `last` - 1
    private List<String> createBackups(String name, int first, int last) throws IOException {
        List<String> names = IntStream.range(first, last).mapToObj(name::formatted).toList();
        for (String created : names) {
            Files.writeString(backups.resolve(created), "");
        }
        return names;
    }

    private Process start(String... arguments) throws IOException {
        return startShell(Stream.concat(Stream.of(script.toString()), Stream.of(arguments)).toArray(String[]::new));
    }

    private Process startShell(String... arguments) throws IOException {
        ProcessBuilder builder = Programs.builder(Stream.concat(Stream.of("sh"), Stream.of(arguments)).toList())
                .directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("PETSTORE_DATA", data.toString());
        return builder.start();
    }

    /// Runs the script and returns its output, which is one line.
    private String runScript(int code, String... arguments) throws Exception {
        String output = output(code, start(arguments));
        assertThat(output.lines()).hasSize(1);
        return output;
    }

    private static String output(int code, Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(code);
        return output;
    }

    private List<String> backupFolderNames() throws IOException {
        try (Stream<Path> files = Files.list(backups)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void keepsLatestBackupsWhichCanBeRestored() throws Exception {
        CommandLines.run(data, "import", "examples/animals.ndjson");
        createPetstore("exec '" + PetstoreProcess.LAUNCHER + "' \"$@\"");
        Files.createFile(backups.resolve("notes.txt"));
        Files.createDirectory(backups.resolve("check-report"));
        Files.createFile(backups.resolve(OLDER + ".1f.part-wal"));
        Files.createFile(Files.createDirectory(backups.resolve(OLDER + ".1f.part-restored")).resolve("petstore.db"));
        assertThat(runScript(0, "--", "-backups", "2")).contains("restored into a scratch folder");
        assertThat(backupFolderNames()).hasSize(5).contains("check-report", "notes.txt", OLDER, LOCK);
        String latest = backupFolderNames().reversed().stream().filter(name -> name.endsWith("Z.db")).findFirst()
                .orElseThrow();
        CommandLines.run(folder.resolve("restored"), "restore", backups.resolve(latest).toString());
    }

    /// Each start of the container in `deploy/kubernetes/embedded.yaml` makes a backup.
    @Test
    void restartLoopReplacesOnlyBackupsOfItsDay() throws Exception {
        createPetstore("for file; do :; done; touch \"$file\"");
        List<String> earlier = createBackups("petstore-202001%02dT000000Z.db", 1, 13);
        for (int restart = 0; restart < 3; restart++) {
            assertThat(output(0, start(backups.toString()))).isEmpty();
        }
        assertThat(backupFolderNames()).containsAll(earlier);
        assertThat(backupFolderNames().stream().filter(name -> !earlier.contains(name) && !name.equals(LOCK))
                .map(name -> name.replaceFirst("T.*", ""))).isNotEmpty().doesNotHaveDuplicates();
    }

    /// The script makes space before it knows that the new backup succeeds.
    @Test
    void fullDiskLeavesLastBackupOfEachDay() throws Exception {
        CommandLines.run(data, "import", "examples/animals.ndjson");
        createPetstore("ulimit -f 16; exec '" + PetstoreProcess.LAUNCHER + "' \"$@\"");
        List<String> ofOneDay = createBackups("petstore-20200103T0000%02dZ.db", 0, 20);
        assertThat(output(1, start(backups.toString(), "3"))).contains("disk is full", "there is no new backup");
        assertThat(backupFolderNames()).containsExactly(OLDEST, OLDER, ofOneDay.getLast(), LOCK);
        assertThat(output(1, start(backups.toString(), "2"))).contains("there is no new backup");
        assertThat(backupFolderNames()).containsExactly(OLDER, ofOneDay.getLast(), LOCK);
    }

    /// The clock was ahead when the later files were made. Others are not backups by this script.
    @Test
    void keepsNewBackupAndFilesOfLaterDates() throws Exception {
        List<String> others = List.of("petstore-2020Z.db", "petstore-before-the-upgradeZ.db");
        for (String name : Stream.concat(LATER.stream(), others.stream()).toList()) {
            Files.createFile(backups.resolve(name));
        }
        createPetstore("for file; do :; done; touch \"$file\"");
        String output = output(0, start(backups.toString(), "1"));
        assertThat(output.lines()).hasSize(2).allMatch(line -> line.contains("dated later than now"));
        assertThat(LATER).allMatch(output::contains);
        assertThat(backupFolderNames()).hasSize(6).containsAll(LATER).containsAll(others).contains(LOCK)
                .doesNotContain(OLDEST, OLDER);
        createPetstore("exit 1");
        assertThat(output(1, start(backups.toString(), "1")).lines()).hasSize(3);
        assertThat(backupFolderNames()).hasSize(6);
    }

    @Test
    void jobForPostgresKeepsNewDumpAndDumpsOfLaterDates() throws Exception {
        String manifest = Files.readString(Path.of("deploy/kubernetes/postgresql.yaml"));
        String job = manifest.substring(manifest.indexOf("- |\n", manifest.indexOf("name: pg-dump")) + 4,
                manifest.indexOf("env:", manifest.indexOf("name: pg-dump")));
        Path secret = Files.writeString(folder.resolve("secret"), "");
        Path file = Files.writeString(folder.resolve("job"), ("""
                pg_dump() { : > "${2#--file=}"; }
                pg_restore() { :; }
                """ + job)
                .replace("/run/secrets/petstore/database-password", secret.toString())
                .replace("/backups", backups.toString()));
        List<String> later = LATER.stream().map(name -> name.replace(".db", ".dump")).toList();
        for (String name : later) {
            Files.createFile(backups.resolve(name));
        }
        createBackups("petstore-202001%dT000000Z.dump", 10, 30);
        List<String> latestOfEachDay = createBackups("petstore-202001%dT000001Z.dump", 10, 30);
        String output = output(0, startShell("-ec", ". " + file));
        assertThat(output.lines()).hasSize(2).allMatch(line -> line.contains("dated later than this one"));
        assertThat(backupFolderNames().stream().filter(name -> name.endsWith(".dump"))).hasSize(14 + 2)
                .containsAll(later).containsAll(latestOfEachDay.subList(7, 20));
    }

    @Test
    void keepsLatestBackupIfNewBackupFails() throws Exception {
        createPetstore("exit 1");
        assertThat(runScript(1, backups.toString(), "1")).contains("there is no new backup", "free some space");
        assertThat(backupFolderNames()).containsExactly(OLDER, LOCK);
    }

    @Test
    void refusesSecondBackupWhileFirstRuns() throws Exception {
        createPetstore("touch begun; until [ -e end ]; do sleep 0.05; done");
        Process first = start(backups.toString());
        try {
            await().until(() -> Files.exists(folder.resolve("begun")));
            assertThat(runScript(1, backups.toString())).contains("another backup", "try again");
        } finally {
            Files.createFile(folder.resolve("end"));
        }
        assertThat(first.waitFor()).isZero();
    }

    @Test
    void reportsWrongUsageAndDeletesNoBackup() throws Exception {
        for (String arguments : List.of("", " ", "--other", backups + " 0", backups + " many",
                backups + " 1 2")) {
            assertThat(runScript(2, arguments.isEmpty() ? new String[0] : arguments.split(" ", -1)))
                    .contains("usage: ");
        }
        assertThat(runScript(0, "--help")).contains("usage: ");
        assertThat(runScript(1, backups.toString())).contains("there is no petstore beside");
        createPetstore("exit 1");
        assertThat(runScript(1, "none")).contains("none is not a folder; make it with install -d -m 700 none");
        assertThat(backupFolderNames()).containsExactly(OLDEST, OLDER);
    }
}
