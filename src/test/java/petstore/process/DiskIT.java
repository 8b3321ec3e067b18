package petstore.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.NewPet;
import petstore.Pet;
import petstore.testkit.ApiClient;
import petstore.testkit.Disk;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

/// The program on a disk that fails.
class DiskIT {

    private static final String KEY = "a-key-for-the-test-of-disks";

    private final Ledger ledger = new Ledger();

    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void chooseFolder() {
        folder = temporary.resolve("data");
    }

    @Test
    void fullDiskStopsWritesAndNothingElse() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk)) {
            isFullAndThenNot(server, () -> disk.fail(Disk.Call.WRITE), () -> disk.heal(Disk.Call.WRITE));
        }
    }

    /// Here it is the kernel that refuses, with `EFBIG` in place of `ENOSPC`.
    @Test
    void logThatCannotGrowStopsWritesAndNothingElse() {
        try (PetstoreProcess server = serve(Map.of())) {
            isFullAndThenNot(server, () -> server.limit("--fsize=1024:"), () -> server.limit("--fsize=unlimited:"));
        }
    }

    private void isFullAndThenNot(PetstoreProcess server, Runnable fill, Runnable free) {
        server.awaitReady();
        add(server, 201);
        fill.run();
        for (int i = 0; i < 3; i++) {
            add(server, 503);
            assertThat(shown(server)).hasSize(1);
        }
        free.run();
        add(server, 201);
        ledger.verify(shown(server));
        assertThat(shown(server)).as("refused animals are absent").hasSize(2);
        server.terminate();
        assertThat(server.ending().code()).isZero();
        try (PetstoreProcess next = serve(Map.of()).awaitReady()) {
            assertThat(shown(next)).hasSize(2);
            add(next, 201);
        }
    }

    @Test
    void startsOnAFullDiskToReadAndWritesOnceThereIsSpace() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            disk.fail(Disk.Call.WRITE);
            add(server, 503);
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
        disk.fail(Disk.Call.FSYNC);
        try (PetstoreProcess server = serve(disk)) {
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.code()).as("an animal that may not be on the disk is not shown").isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().contains("SQLITE_IOERR_FSYNC");
        }
        disk.heal(Disk.Call.FSYNC);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(server.err()).singleElement().asString().contains("disk is full", "free some space");
            assertThat(shown(server)).hasSize(1);
            add(server, 503);
            assertThat(command(disk, "export", "-").out()).hasSize(1);
            assertThat(command(disk, "keys", "list", "--format", "json").out()).containsExactly("[]");
            assertThat(command(disk, "backup", temporary.resolve("backup.db").toString()).err())
                    .hasSize(2).first().asString().startsWith("Backed up 1 animal ");
            disk.fail(Disk.Call.CHECKPOINT);
            disk.heal(Disk.Call.WRITE);
            add(server, 503);
            disk.heal(Disk.Call.CHECKPOINT);
            add(server, 201);
            ledger.verify(shown(server));
            assertThat(shown(server)).hasSize(2);
        }
    }

    @Test
    void aBackupPutInPlaceIsReadOnAFullDiskAndWrittenToOnceThereIsSpace() throws IOException {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            command(disk, "backup", backup.toString());
            // A kill would leave a log, which SQLite would replay over the backup.
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
        Files.move(backup, folder.resolve("petstore.db"), StandardCopyOption.REPLACE_EXISTING);
        disk.fail(Disk.Call.WRITE);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(server.err()).singleElement().asString().contains("disk is full", "free some space");
            assertThat(shown(server)).hasSize(1);
            add(server, 503);
            disk.heal(Disk.Call.WRITE);
            add(server, 201);
            assertThat(shown(server)).hasSize(2);
            assertThat(command(disk, "backup", backup.toString()).err())
                    .containsExactly("Backed up 2 animals to " + backup + ", verified");
        }
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.text("PRAGMA application_id")).containsExactly("0");
        }
    }

    @Test
    void backupOntoAFullDiskSaysSoAndLeavesNothing() {
        Disk disk = disk();
        Path backups = temporary.resolve("backups");
        assertThat(backups.toFile().mkdir()).isTrue();
        Path backup = backups.resolve("backup.db");
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            disk.fail(Disk.Call.COPY);
            PetstoreProcess.Ending ending = ending(disk, "backup", backup.toString());
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err())
                    .containsExactly("petstore: " + backup + " cannot be backed up: the disk is full; free some space");
            assertThat(backups).isEmptyDirectory();
            disk.heal(Disk.Call.COPY);
            command(disk, "backup", backup.toString());
        }
    }

    /// Its ids would be given out again.
    @Test
    void aStoreThatCannotBeReadIsNotReplaced() {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            command(disk, "backup", backup.toString());
            add(server, 201);
        }
        disk.fail(Disk.Call.READ);
        PetstoreProcess.Ending ending = ending(disk, "restore", backup.toString());
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).singleElement().asString()
                .startsWith("petstore: the store " + folder.resolve("petstore.db") + " cannot be read: ");
        disk.heal(Disk.Call.READ);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(shown(server)).hasSize(2);
        }
    }

    private PetstoreProcess.Ending command(Disk disk, String... words) {
        PetstoreProcess.Ending ending = ending(disk, words);
        assertThat(ending.code()).as(ending.toString()).isZero();
        return ending;
    }

    private PetstoreProcess.Ending ending(Disk disk, String... words) {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("--data", folder.toString()));
        try (PetstoreProcess command = PetstoreProcess.start(disk.environment(), arguments.toArray(String[]::new))) {
            return command.ending();
        }
    }

    @Test
    void failedReadIsForgottenOnceTheDiskReadsAgain() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            ApiClient client = server.client(KEY);
            add(server, 201);
            disk.fail(Disk.Call.READ);
            for (int i = 1; i <= 10; i++) {
                assertThat(client.get("/v1/pets?limit=" + i).statusCode()).isEqualTo(503);
            }
            disk.heal(Disk.Call.READ);
            for (int i = 11; i <= 30; i++) {
                assertThat(client.get("/v1/pets?limit=" + i).statusCode()).isEqualTo(200);
            }
            add(server, 201);
            assertThat(shown(server)).hasSize(2);
        }
    }

    @Test
    void failedSyncEndsTheProgram() throws InterruptedException {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            CountDownLatch loaded = new CountDownLatch(100);
            try (Load load = new Load(16, server.port(), KEY, ledger, loaded::countDown)) {
                assertThat(loaded.await(30, TimeUnit.SECONDS)).isTrue();
                disk.fail(Disk.Call.FSYNC);
                server.ending();
                load.awaitEnd();
            }
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().contains("disk", "SQLITE_IOERR_FSYNC");
            assertThat(ledger.refused()).as("told that their animals were not kept").isPositive();
        }
        disk.heal(Disk.Call.FSYNC);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            try (StoreFile file = new StoreFile(folder)) {
                assertThat(file.integrity()).isEqualTo("ok");
                ledger.verify(file.pets());
            }
            add(server, 201);
        }
    }

    @Test
    void whatIsShownOutlivesALossOfPower() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            disk.fail(Disk.Call.FSYNC);
            add(server, 503);
            assertThat(server.ending().code()).isEqualTo(1);
        }
        disk.heal(Disk.Call.FSYNC);
        List<Pet> shown;
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            shown = shown(server);
        }
        disk.losePower(folder);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(shown(server)).isEqualTo(shown);
        }
    }

    private Disk disk() {
        return Disk.in(temporary.resolve("disk")).orElseGet(() -> abort("a disk that fails needs Linux and cc"));
    }

    private PetstoreProcess serve(Disk disk) {
        return serve(disk.environment());
    }

    private PetstoreProcess serve(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PETSTORE_API_KEY", KEY);
        return PetstoreProcess.serve(all, folder);
    }

    private void add(PetstoreProcess server, int status) {
        NewPet pet = ledger.next();
        HttpResponse<String> response = server.client(KEY).post(Ledger.json(pet));
        assertThat(response.statusCode()).isEqualTo(status);
        ledger.answered(pet, response);
    }

    private static List<Pet> shown(PetstoreProcess server) {
        HttpResponse<String> response = server.client(KEY).get("/v1/pets?limit=100");
        assertThat(response.statusCode()).isEqualTo(200);
        return ServedContract.json(response.body()).valueStream().map(Ledger::pet).toList();
    }
}
