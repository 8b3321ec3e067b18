package petstore.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.Pet;
import petstore.store.sqlite.SqliteFile;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.Disk;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.ServedContract;
import petstore.testkit.Shell;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

/// The program on a disk that is full or fails.
class DiskIT {

    private static final String KEY = "a-key-for-the-test-of-disks";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int STEPS_BETWEEN_KILLS = Integer.getInteger("petstore.steps.between.kills", 4);
    private static final long SEED = Long.getLong("petstore.seed", new Random().nextLong());

    private final Ledger ledger = new Ledger();

    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void chooseFolder() {
        folder = temporary.resolve("data");
    }

    @Test
    void fullDiskStopsOnlyWrites() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk)) {
            assertOnlyWritesFailUntilSpaceIsFree(server, "disk_full", () -> disk.fail(Disk.Call.WRITE),
                    () -> disk.heal(Disk.Call.WRITE));
        }
    }

    /// The limit stops the log (WAL) from growing: the kernel refuses writes with `EFBIG` instead of `ENOSPC`.
    @Test
    void fileSizeLimitStopsOnlyWrites() {
        try (PetstoreProcess server = serve(Map.of())) {
            assertOnlyWritesFailUntilSpaceIsFree(server, "not_writable", () -> server.limit("--fsize=1024:"),
                    () -> server.limit("--fsize=unlimited:"));
        }
    }

    private void assertOnlyWritesFailUntilSpaceIsFree(PetstoreProcess server, String code, Runnable fill,
            Runnable free) {
        server.awaitReady();
        add(server, 201);
        fill.run();
        for (int i = 0; i < 3; i++) {
            add(server, 503);
            assertThat(list(server)).hasSize(1);
        }
        assertThat(server.metric("petstore_unavailable_total", "code=\"" + code + "\"")).isEqualTo(3);
        assertThat(server.metric("petstore_unavailable_total")).isEqualTo(3);
        free.run();
        add(server, 201);
        ledger.verify(list(server));
        assertThat(list(server)).as("refused animals are absent").hasSize(2);
        server.terminate();
        assertThat(server.ending().code()).isZero();
        try (PetstoreProcess next = serve(Map.of()).awaitReady()) {
            assertThat(list(next)).hasSize(2);
            add(next, 201);
        }
    }

    @Test
    void startsOnFullDiskAndWritesOnceSpaceIsFree() {
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
            assertThat(ending.code()).as("must not list an animal that may not be on the disk").isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().contains("SQLITE_IOERR_FSYNC");
        }
        disk.heal(Disk.Call.FSYNC);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(server.err()).singleElement().asString().contains("disk is full", "free some space");
            assertThat(list(server)).hasSize(1);
            add(server, 503);
            assertThat(runSuccessfully(disk, "export", "-").out()).hasSize(1);
            assertThat(runSuccessfully(disk, "keys", "list", "--format", "json").out()).containsExactly("[]");
            assertThat(runSuccessfully(disk, "backup", temporary.resolve("backup.db").toString()).err())
                    .hasSize(2).first().asString().startsWith("Backed up 1 animal ");
            disk.fail(Disk.Call.CHECKPOINT);
            disk.heal(Disk.Call.WRITE);
            add(server, 503);
            disk.heal(Disk.Call.CHECKPOINT);
            add(server, 201);
            ledger.verify(list(server));
            assertThat(list(server)).hasSize(2);
        }
    }

    @Test
    void readsBackupInPlaceOfStoreWhileDiskIsFullAndWritesAfterwards() throws IOException {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            runSuccessfully(disk, "backup", backup.toString());
            // A kill would leave a log, which SQLite would replay over the backup.
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
        Files.move(backup, folder.resolve("petstore.db"), StandardCopyOption.REPLACE_EXISTING);
        disk.fail(Disk.Call.WRITE);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(server.err()).singleElement().asString().contains("disk is full", "free some space");
            assertThat(list(server)).hasSize(1);
            add(server, 503);
            disk.heal(Disk.Call.WRITE);
            add(server, 201);
            assertThat(list(server)).hasSize(2);
            assertThat(runSuccessfully(disk, "backup", backup.toString()).err())
                    .containsExactly("Backed up 2 animals to " + backup + ", verified");
        }
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.text("PRAGMA application_id")).containsExactly("0");
        }
    }

    @Test
    void backupReportsFullDiskAndLeavesNoFiles() {
        Disk disk = disk();
        Path backups = temporary.resolve("backups");
        assertThat(backups.toFile().mkdir()).isTrue();
        Path backup = backups.resolve("backup.db");
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            disk.fail(Disk.Call.COPY);
            PetstoreProcess.Ending ending = run(disk, "backup", backup.toString());
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err())
                    .containsExactly("petstore: " + backup + " cannot be backed up: the disk is full; free some space");
            assertThat(backups).isEmptyDirectory();
            disk.heal(Disk.Call.COPY);
            runSuccessfully(disk, "backup", backup.toString());
        }
    }

    /// Otherwise new animals could get ids that the store has used.
    @Test
    void restoreDoesNotReplaceUnreadableStore() {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            runSuccessfully(disk, "backup", backup.toString());
            add(server, 201);
        }
        disk.fail(Disk.Call.READ);
        PetstoreProcess.Ending ending = run(disk, "restore", backup.toString());
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).singleElement().asString()
                .startsWith("petstore: the store " + folder.resolve("petstore.db") + " cannot be replaced: ");
        disk.heal(Disk.Call.READ);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(list(server)).hasSize(2);
        }
    }

    /// The store is replaced in a transaction, or gets another file if it cannot be opened or only its log is left.
    @ParameterizedTest
    @ValueSource(strings = {"whole", "damaged", "log alone"})
    void killedRestoreLosesNoStore(String state) throws IOException {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        addTwoAnimals(backup);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            server.kill();
        }
        Path database = folder.resolve("petstore.db");
        if (state.equals("damaged")) {
            Files.write(database, "damage".repeat(10_000).getBytes(StandardCharsets.US_ASCII));
        } else if (state.equals("log alone")) {
            Files.delete(database);
        }
        Map<String, byte[]> before = contents(folder);
        Random random = new Random(SEED);
        int steps = 1;
        for (int step = 1; step <= steps; step += 1 + random.nextInt(2 * STEPS_BETWEEN_KILLS + 1)) {
            new Shell(temporary).run("rm -rf data disk/step-*; mkdir -m 700 data");
            for (Map.Entry<String, byte[]> file : before.entrySet()) {
                Files.write(folder.resolve(file.getKey()), file.getValue());
            }
            disk.killAtStep(step);
            int code = run(disk, "restore", backup.toString()).code();
            String description = state + ", killed at step " + step + ", seed " + SEED;
            assertThat(code).as(description).isIn(0, 137);
            steps = code == 0 ? steps : step + 2 * STEPS_BETWEEN_KILLS + 1;
            assertThat(loss(state, code == 0)).as(description).isEmpty();
        }
        assertThat(steps).as("kills before the end").isGreaterThan(10);
    }

    /// Returns the loss by a restore that may have been killed; empty for none.
    private String loss(String state, boolean isRestored) throws IOException {
        Map<String, byte[]> after = contents(folder);
        if (state.equals("whole")) {
            try (StoreFile store = new StoreFile(folder)) {
                int animals = store.pets().size();
                boolean isKept = after.keySet().stream().anyMatch(name -> name.matches("replaced-.*[.]db"));
                return store.integrity().equals("ok") && (animals == 3 ? !isRestored : animals == 1 && isKept)
                        ? ""
                        : "animals: " + animals + " in " + after.keySet();
            }
        }
        if (after.entrySet().stream().noneMatch(file -> !file.getKey().contains(".part")
                && new String(file.getValue(), StandardCharsets.UTF_8).contains("Kätzchen 🐈 2"))) {
            return "the second animal, which is in the log: " + after.keySet();
        }
        try (StoreFile store = SqliteFile.exists(folder) ? new StoreFile(folder) : null) {
            return store != null && store.pets().size() == 1 ? "" : "a store: " + after.keySet();
        } catch (CommandFailure e) {
            return !isRestored && e.getMessage().contains("belongs to a store, but") ? "" : e.getMessage();
        } catch (AssertionError e) {
            return !isRestored && state.equals("damaged") ? "" : String.valueOf(e.getMessage());
        }
    }

    private static Map<String, byte[]> contents(Path folder) throws IOException {
        Map<String, byte[]> contents = new HashMap<>();
        for (String name : namesIn(folder)) {
            contents.put(name, Files.readAllBytes(folder.resolve(name)));
        }
        return contents;
    }

    /// The database is open then, but not its log. A file that a `restore` put in its place would get the log of the other.
    @Test
    void readingCommandBesideRestoreLosesNoAnimals() throws IOException {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        addTwoAnimals(backup);
        disk.fail(Disk.Call.OPEN_LOG);
        try (PetstoreProcess export = PetstoreProcess.start(disk.environment(), "export", "-", "--data",
                folder.toString())) {
            await().atMost(PATIENCE).until(disk::opensLog);
            assertThat(new Shell(temporary).run("petstore restore backup.db")).isEqualTo(new PetstoreProcess.Ending(1,
                    List.of(), List.of("petstore: another command reads or changes the store in ./data;"
                            + " try again when that has ended")));
            // As if the lock did not work.
            Files.delete(folder.resolve("petstore.lock"));
            assertThat(new Shell(temporary).run("petstore restore backup.db").code()).isZero();
            try (PetstoreProcess server = serve(Map.of()).awaitReady()) {
                addManyAnimals(server, 100);
                disk.heal(Disk.Call.OPEN_LOG);
                assertThat(export.ending().code()).isZero();
                addManyAnimals(server, 100);
                server.kill();
            }
        }
        assertAllAnimalsAreKept(disk);
    }

    @Test
    void deletedLogLosesNoAnimals() throws IOException {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            addManyAnimals(server, 100);
            Files.delete(folder.resolve("petstore.db-wal"));
            await().atMost(PATIENCE).until(() -> readyz(server) == 503);
            add(server, 503);
            assertThat(server.err()).singleElement().asString().contains("petstore.db-wal was replaced");
            server.kill();
        }
        assertAllAnimalsAreKept(disk);
    }

    /// Locks are not shared between the mounts. The last process that started has the store.
    @ParameterizedTest
    @ValueSource(strings = {
            "mount -t overlay overlay -o lowerdir=lower,upperdir=disk/upper,workdir=disk/work mount",
            "bindfs disk/upper mount"})
    @EnabledIfSystemProperty(named = "petstore.disks", matches = "true")
    void onlyLastOwnerWritesThroughTwoMounts(String mount) {
        assumeThat(shell("mkdir lower disk mount && mount -t tmpfs tmpfs disk && mkdir disk/upper disk/work && "
                + mount).code()).as(mount).isZero();
        folder = temporary.resolve("mount/data");
        try (PetstoreProcess first = serve(Map.of()).awaitReady()) {
            add(first, 201);
            Path other = temporary.resolve("disk/upper/data");
            try (PetstoreProcess second = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), other).awaitReady()) {
                add(first, 503);
                // The log is written by a thread of its own.
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(first.err()).singleElement().asString()
                        .contains("another process has taken this store"));
                assertThat(readyz(first)).isEqualTo(503);
                add(second, 201);
                add(second, 201);
                ledger.verify(list(second));
                second.terminate();
                assertThat(second.ending().code()).isZero();
                try (StoreFile file = new StoreFile(other)) {
                    ledger.verify(file.pets());
                }
            }
        } finally {
            shell("umount mount");
            // The process of bindfs uses the disk for a moment longer.
            await().atMost(PATIENCE).until(() -> shell("umount disk").code() == 0);
        }
    }

    /// The names of files and of new folders may not be on the disk then.
    @Test
    void failedSyncOfFolderIsNoSuccess() throws IOException {
        Disk disk = disk();
        Path backup = temporary.resolve("backup.db");
        addTwoAnimals(backup);
        disk.fail(Disk.Call.FOLDER);
        for (List<String> command : List.of(List.of("restore", backup.toString()),
                List.of("backup", temporary.resolve("other.db").toString()),
                List.of("export", temporary.resolve("export.csv").toString()))) {
            PetstoreProcess.Ending ending = run(disk, command.toArray(String[]::new));
            assertThat(ending.code()).as(ending.toString()).isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().endsWith("cannot be synced: Input/output error");
        }
        folder = Files.createDirectory(temporary.resolve("empty"));
        assertThat(run(disk, "keys", "create", "--name", "shop").err()).singleElement().asString()
                .endsWith("the folder " + folder + " cannot be synced: Input/output error");
        folder = temporary.resolve("new");
        assertThat(run(disk, "keys", "create", "--name", "shop").err()).singleElement().asString()
                .contains("the folder " + temporary + " cannot be synced: Input/output error");
    }

    @Test
    @EnabledIfSystemProperty(named = "petstore.disks", matches = "true")
    void saysThatNoInodesAreLeft() throws IOException {
        Path disk = mountSmallDisk("-N 16");
        try {
            folder = disk.resolve("data");
            addTwoAnimals(temporary.resolve("backup.db"));
            new Shell(temporary).run("i=0; while touch small/$i; do i=$((i + 1)); done");
            for (String command : List.of("serve --port 0 --admin-port 0", "keys list", "import animals.ndjson")) {
                assertThat(new Shell(temporary).run("petstore " + command + " --data small/data").err())
                        .singleElement().asString().endsWith("the disk has no inodes left; delete some files");
            }
            assertThat(new Shell(temporary).run("petstore keys create --name shop --data small/new").err())
                    .singleElement().asString().endsWith("the disk has no inodes left; delete some files");
            new Shell(temporary).run("rm small/[0-9]*; dd if=/dev/zero of=small/fill bs=1k");
            assertThat(new Shell(temporary).run("petstore serve --port 0 --admin-port 0 --data small/data").err())
                    .singleElement().asString().endsWith("the disk is full; free some space");
        } finally {
            unmountSmallDisk();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "petstore.disks", matches = "true")
    void restoreSaysHowMuchSpaceItNeeds() throws IOException {
        folder = mountSmallDisk("").resolve("data");
        try {
            Files.write(temporary.resolve("animals.ndjson"),
                    Collections.nCopies(60_000, "{\"name\":\"" + "x".repeat(100) + "\",\"categoryId\":1}"));
            assertThat(shell("petstore import animals.ndjson --data other && petstore backup backup.db --data other"
                    + " && petstore keys create --name shop --data small/data && dd if=/dev/zero of=small/fill bs=1M count=8")
                    .code()).isZero();
            PetstoreProcess.Ending ending = shell("petstore restore backup.db --data small/data");
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().contains("MiB free; the restore needs ",
                    "free some space");
            assertThat(namesIn(folder)).containsOnly("petstore.db", "petstore.lock");
            assertThat(shell("rm small/fill other/petstore.db; petstore keys list --data small/data").out())
                    .anyMatch(line -> line.contains("shop"));
        } finally {
            unmountSmallDisk();
        }
    }

    /// The mount of a disk with an error still says that it can be written.
    @Test
    @EnabledIfSystemProperty(named = "petstore.disks", matches = "true")
    void fullDiskAndDiskWithErrorStopOnlyWrites() {
        folder = mountSmallDisk("").resolve("data");
        try {
            try (PetstoreProcess server = serve(Map.of()).awaitReady()) {
                add(server, 201);
                assertThat(shell("dd if=/dev/zero of=small/fill bs=1k").err()).asString().contains("No space left");
                await().atMost(PATIENCE).until(() -> tryToAdd(server) == 503);
                assertThat(list(server)).isNotEmpty();
                assertThat(readyz(server)).isEqualTo(200);
                shell("rm small/fill");
                add(server, 201);
                shell("echo 1 > /sys/fs/ext4/$(basename $(findmnt -no SOURCE small))/trigger_fs_error");
                await().atMost(PATIENCE).until(() -> tryToAdd(server) == 503);
                assertThat(readyz(server)).isEqualTo(503);
                ledger.verify(list(server));
            }
            assertThat(shell("umount small && mount -o loop image small").code()).isZero();
            try (PetstoreProcess server = serve(Map.of()).awaitReady()) {
                ledger.verify(list(server));
                add(server, 201);
            }
        } finally {
            unmountSmallDisk();
        }
    }

    /// Mounts a disk of its own, because a full disk stops other tests. Skips the test if there are no loop devices.
    private Path mountSmallDisk(String options) {
        assumeThat(shell("truncate -s 20M image && mkfs.ext4 -q " + options + " image && mkdir small"
                + " && mount -o loop,errors=remount-ro image small").code()).as("a loop device is mounted").isZero();
        return temporary.resolve("small");
    }

    private void unmountSmallDisk() {
        shell("umount small");
    }

    private PetstoreProcess.Ending shell(String script) {
        return new Shell(temporary).run(script);
    }

    /// Adds an animal to a new store, makes a backup, and adds another one.
    private void addTwoAnimals(Path backup) throws IOException {
        Path file = Files.writeString(temporary.resolve("animals.ndjson"), Ledger.json(ledger.next()) + "\n");
        CommandLines.run(folder, "import", file.toString());
        CommandLines.run(folder, "backup", backup.toString());
        CommandLines.run(folder, "import", file.toString());
    }

    private static List<String> namesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private PetstoreProcess.Ending runSuccessfully(Disk disk, String... words) {
        PetstoreProcess.Ending ending = run(disk, words);
        assertThat(ending.code()).as(ending.toString()).isZero();
        return ending;
    }

    private PetstoreProcess.Ending run(Disk disk, String... words) {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("--data", folder.toString()));
        try (PetstoreProcess command = PetstoreProcess.start(disk.environment(), arguments.toArray(String[]::new))) {
            return command.ending();
        }
    }

    @Test
    void recoversFromFailedReads() {
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
            await().atMost(PATIENCE).until(() -> readyz(server) == 200);
            add(server, 201);
            assertThat(list(server)).hasSize(2);
        }
    }

    /// Java gets this signal if btrfs has no space for a page that SQLite has mapped.
    @Test
    void fatalErrorOfJavaHasLineWithAdvice() {
        try (PetstoreProcess server = serve(Map.of("PETSTORE_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1"
                + " -XX:-CreateCoredumpOnCrash -XX:ErrorFile=" + temporary.resolve("error"))).awaitReady()) {
            server.signal("BUS");
            assertThat(server.ending().err()).filteredOn(line -> line.startsWith("petstore: ")).singleElement()
                    .asString().contains("fatal error", "free some space");
        }
    }

    @Test
    void exitsIfSyncFailsAndListsOnlyAnimalsThatSurvivePowerLoss() throws InterruptedException {
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
            assertThat(ledger.refused()).as("animals refused after the failed sync").isPositive();
        }
        disk.heal(Disk.Call.FSYNC);
        List<Pet> listed;
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            listed = Ledger.listAfter(server.client(KEY), 0);
        }
        disk.losePower(folder);
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertThat(Ledger.listAfter(server.client(KEY), 0)).isEqualTo(listed);
        }
        assertAllAnimalsAreKept(disk);
    }

    /// SQLite counts pages as copied into the database before it syncs them. A reader makes it copy only a part, and another process that
    /// has the store open keeps this count after the failure.
    @Test
    void keepsAnimalsIfSyncOfPartlyCopiedDatabaseFails() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            addManyAnimals(server, 400);
            try (StoreFile reader = new StoreFile(folder)) {
                reader.execute("BEGIN");
                reader.text("SELECT count(*) FROM pet");
                try (Load load = new Load(16, server.port(), KEY, ledger, () -> {
                })) {
                    await().atMost(PATIENCE).until(disk::hasUnsyncedDatabase);
                    disk.fail(Disk.Call.DATABASE_FSYNC);
                    reader.execute("COMMIT");
                    PetstoreProcess.Ending ending = server.ending();
                    assertThat(ending.code()).isEqualTo(1);
                    assertThat(ending.err()).singleElement().asString().contains("disk", "SQLITE_IOERR_FSYNC");
                    load.awaitEnd();
                }
                disk.heal(Disk.Call.DATABASE_FSYNC);
                // The kernel drops pages whose write has failed.
                disk.losePower(folder);
                try (PetstoreProcess next = serve(disk).awaitReady()) {
                    add(next, 201);
                }
                disk.losePower(folder);
            }
        }
        assertAllAnimalsAreKept(disk);
    }

    private void addManyAnimals(PetstoreProcess server, int count) {
        AtomicInteger added = new AtomicInteger();
        try (Load _ = new Load(16, server.port(), KEY, ledger, added::incrementAndGet)) {
            await().atMost(PATIENCE).until(() -> added.get() >= count);
        }
    }

    private void assertAllAnimalsAreKept(Disk disk) {
        try (PetstoreProcess server = serve(disk).awaitReady(); StoreFile file = new StoreFile(folder)) {
            assertThat(file.integrity()).isEqualTo("ok");
            ledger.verify(file.pets());
            add(server, 201);
        }
    }

    @Test
    void reportsFailedSyncOfDatabaseAtTheEnd() throws IOException {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            add(server, 201);
            disk.fail(Disk.Call.DATABASE_FSYNC);
            server.terminate();
            assertThat(server.ending().code()).isEqualTo(1);
            assertThat(server.ending().err()).singleElement().asString().contains("disk", "SQLITE_IOERR_FSYNC");
        }
        disk.heal(Disk.Call.DATABASE_FSYNC);
        assertAllAnimalsAreKept(disk);

        Path animals = Files.writeString(temporary.resolve("animals.csv"), "name,categoryId\nRex,1\n");
        // Moves the log, which the server has left.
        runSuccessfully(disk, "keys", "create", "--name", "shop");
        disk.fail(Disk.Call.DATABASE_FSYNC);
        PetstoreProcess.Ending ending = run(disk, "import", animals.toString());
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).last()
                .isEqualTo("petstore: the store's disk failed; see that the last changes are there");
        disk.heal(Disk.Call.DATABASE_FSYNC);
        assertThat(runSuccessfully(disk, "export", "-").out()).last().asString().contains("Rex");
    }

    /// The log may have the group, if not on the disk.
    @Test
    void importSaysThatGroupMayBeAddedIfSyncFails() throws IOException {
        Disk disk = disk();
        Path animals = Files.writeString(temporary.resolve("animals.csv"), "name,categoryId\nRex,1\n");
        runSuccessfully(disk, "import", animals.toString());
        disk.fail(Disk.Call.FSYNC);
        assertThat(run(disk, "import", animals.toString()).err()).last().asString().startsWith(
                "petstore: the import stopped; nothing was imported, or only the first group: the store's disk failed");
    }

    /// The log grows meanwhile. It holds the animals, so they need no space in the database.
    @Test
    void addsAnimalsWhileDatabaseCannotGrow() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            disk.fail(Disk.Call.CHECKPOINT);
            addManyAnimals(server, 3_000);
            assertThat(ledger.refused()).isZero();
            assertThat(server.err()).singleElement().asString().contains("disk is full", "free some space");
            assertThat(readyz(server)).isEqualTo(200);
            disk.heal(Disk.Call.CHECKPOINT);
            add(server, 201);
            assertThat(disk.hasUnsyncedDatabase()).as("the log was moved").isFalse();
            assertThat(folder.resolve("petstore.db").toFile().length()).isGreaterThan(100_000);
        }
        assertAllAnimalsAreKept(disk);
    }

    /// The mount may still say that it can be written.
    @Test
    void isUnreadyUntilReadOnlyDiskCanBeWritten() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertUnready(server, () -> {
                disk.fail(Disk.Call.READ_ONLY);
                add(server, 503);
            }, () -> disk.heal(Disk.Call.READ_ONLY));
            add(server, 201);
        }
    }

    /// The animals are in the log, so they get 201.
    @Test
    void isUnreadyUntilLogCanBeMoved() {
        Disk disk = disk();
        try (PetstoreProcess server = serve(disk).awaitReady()) {
            assertUnready(server, () -> {
                disk.fail(Disk.Call.DATABASE_WRITE);
                addManyAnimals(server, 3_000);
                assertThat(ledger.refused()).isZero();
            }, () -> disk.heal(Disk.Call.DATABASE_WRITE));
        }
        assertAllAnimalsAreKept(disk);
    }

    private void assertUnready(PetstoreProcess server, Runnable breakDisk, Runnable heal) {
        assertThat(readyz(server)).isEqualTo(200);
        breakDisk.run();
        assertThat(readyz(server)).isEqualTo(503);
        assertThat(list(server)).as("reads work").isNotNull();
        await().during(Duration.ofMillis(2_500)).atMost(PATIENCE).until(() -> readyz(server), status -> status == 503);
        heal.run();
        await().atMost(Duration.ofSeconds(3)).until(() -> readyz(server), status -> status == 200);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.err()).satisfiesExactly(
                line -> assertThat(line).contains("cannot be written", "disk I/O"),
                line -> assertThat(line).contains("can be written again")));
    }

    private static int readyz(PetstoreProcess server) {
        return new ApiClient(server.adminPort(), "").get("/readyz").statusCode();
    }

    private Disk disk() {
        return Disk.in(temporary.resolve("disk")).orElseGet(() -> abort("simulated disk failures need Linux and cc"));
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
        assertThat(tryToAdd(server)).isEqualTo(status);
    }

    /// Returns the status of the response.
    private int tryToAdd(PetstoreProcess server) {
        NewPet pet = ledger.next();
        HttpResponse<String> response = server.client(KEY).post(Ledger.json(pet));
        ledger.recordResponse(pet, response);
        return response.statusCode();
    }

    private static List<Pet> list(PetstoreProcess server) {
        HttpResponse<String> response = server.client(KEY).get("/v1/pets?limit=100");
        assertThat(response.statusCode()).isEqualTo(200);
        return ServedContract.json(response.body()).valueStream().map(Ledger::pet).toList();
    }
}
