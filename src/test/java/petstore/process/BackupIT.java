package petstore.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Pet;
import petstore.store.sqlite.FolderLock;
import petstore.testkit.CommandLines;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// `petstore backup` and `petstore restore`, under load and with damaged files.
class BackupIT extends AbstractShellTest {

    private static final String KEY = "a-key-for-the-test-of-backups";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final int PAGE_BYTES = 4096;
    private static final int DAMAGED_BYTES = 4 * PAGE_BYTES;

    @Test
    void backupUnderLoadContainsEveryAnimalAcknowledgedBefore() throws InterruptedException {
        Ledger ledger = new Ledger();
        List<Pet> before;
        long lastId;
        try (PetstoreProcess server = serve(shell.data())) {
            CountDownLatch loaded = new CountDownLatch(500);
            try (Load load = new Load(16, server.port(), KEY, ledger, loaded::countDown)) {
                assertThat(loaded.await(60, TimeUnit.SECONDS)).isTrue();
                before = pets(shell.data());
                Ending backup = shell.run("petstore backup backup.db");
                assertThat(backup.code()).as(backup.toString()).isZero();
                assertThat(backup.out()).isEmpty();
                assertThat(backup.err()).singleElement().asString()
                        .matches("Backed up [0-9]+ animals to backup.db, verified");
                server.kill();
                load.awaitEnd();
            }
        }
        assertThat(ledger.refused()).isZero();
        for (String restore : List.of("restore ./backup.db --data ./other", "restore ./backup.db")) {
            assertThat(shell.petstore(restore).code()).isZero();
        }
        List<Pet> restored = pets(folder.resolve("other"));
        assertThat(restored).startsWith(before.toArray(Pet[]::new)).isEqualTo(pets(shell.data()));

        Path replaced = folder.resolve("replaced");
        shell.run("mkdir replaced && cp data/replaced-*.db replaced/petstore.db && rm -f data/*-wal");
        ledger.verify(pets(replaced));
        lastId = pets(replaced).getLast().id();
        try (PetstoreProcess server = serve(shell.data())) {
            long id = Ledger.pet(ServedContract.json(server.client(KEY).post(PET).body())).id();
            assertThat(id).as("id that the replaced store has not used").isGreaterThan(lastId);
            assertThat(server.client(KEY).get("/v1/pets/" + before.getFirst().id()).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void restoreRefusesInvalidBackupAndKeepsStore() throws IOException {
        importAnimals(3_000);
        backUp("good.db");
        importAnimals(1);
        byte[] store = Files.readAllBytes(shell.data().resolve("petstore.db"));

        Files.writeString(folder.resolve("text.db"), "This is not a database, but a rather long text. ".repeat(100));
        Files.createFile(folder.resolve("empty.db"));
        damagedCopyOfGood("short.db", file -> file.truncate(file.size() / 2 / PAGE_BYTES * PAGE_BYTES));
        damagedCopyOfGood("cut.db", file -> file.truncate(file.size() - 100));
        int pages = (int) Files.size(folder.resolve("good.db")) / PAGE_BYTES;
        assertThat(pages).isGreaterThan(20);
        for (int page = 2; page < pages; page += pages / 5) {
            long offset = (long) page * PAGE_BYTES;
            damagedCopyOfGood("page-" + page + ".db", file -> file.write(ByteBuffer.wrap(new byte[64]), offset));
        }
        shell.run("mkdir newer && cp good.db newer/petstore.db");
        try (StoreFile newer = new StoreFile(folder.resolve("newer"))) {
            newer.execute("INSERT INTO schema_version (version) VALUES (1000)");
        }
        shell.run("cp newer/petstore.db newer.db; cp good.db used.db; echo x > used.db-wal");

        for (String file : shell.run("ls *.db").out()) {
            Ending ending = shell.petstore("restore ./" + (file.equals("good.db") ? "none.db" : file));
            assertThat(ending.code()).as(file).isEqualTo(1);
            assertThat(ending.out()).isEmpty();
            assertThat(ending.err()).as(file).singleElement().asString().containsAnyOf("damaged", "malformed",
                    "not a database",
                    "is no store",
                    "newer petstore", "is incomplete", "there is no such file");
        }
        assertThat(Files.readAllBytes(shell.data().resolve("petstore.db"))).isEqualTo(store);
        assertThat(shell.run("ls data").out()).contains("petstore.db")
                .noneMatch(name -> name.contains("replaced") || name.contains(".part"));
        assertThat(shell.petstore("restore ./good.db").code()).isZero();
        assertThat(pets(shell.data())).hasSize(3_000);
    }

    @Test
    void restoreWarnsIfChecksumIsMissing() throws IOException {
        importAnimals(2);
        backUp("good.db");
        try (StoreFile store = new StoreFile(shell.data())) {
            store.execute("VACUUM INTO '" + folder.resolve("plain.db") + "'");
        }
        assertThat(shell.petstore("restore ./plain.db --data ./other")).isEqualTo(new Ending(0, List.of(),
                List.of("Restored 2 animals to ./other",
                        "warning: ./plain.db has no checksum, so it may have been altered"
                                + " unnoticed; 'petstore backup' adds a checksum")));
        assertThat(shell.petstore("restore ./good.db --data ./other").err()).singleElement().asString()
                .startsWith("Restored 2 animals to ./other; the store before is kept as ");
        String kept = shell.run("ls other/replaced-*.db").out().getFirst();
        assertThat(shell.petstore("restore ./" + kept + " --data ./other").err()).hasSize(2).last().asString()
                .startsWith("warning: ./" + kept + " has no checksum");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, PAGE_BYTES})
    void restoreWarnsIfUsedIdsOfDamagedStoreAreUnknown(int offset) throws IOException {
        importAnimals(2);
        backUp("backup.db");
        importAnimals(3);
        try (FileChannel store = FileChannel.open(shell.data().resolve("petstore.db"), StandardOpenOption.WRITE)) {
            store.write(ByteBuffer.wrap("nonsense".repeat(DAMAGED_BYTES / 8).getBytes(StandardCharsets.US_ASCII)),
                    offset);
        }
        assertThat(shell.petstore("restore ./backup.db")).satisfies(ending -> {
            assertThat(ending.code()).isZero();
            assertThat(ending.err()).hasSize(2)
                    .last().isEqualTo("The store before is damaged: ids that it used may be used again");
        });
        assertThat(pets(shell.data())).hasSize(2);
    }

    /// A first start leaves an empty file if it is interrupted, or if the disk is full.
    @Test
    void restoreReplacesEmptyStoreFileWithoutWarning() throws IOException {
        importAnimals(1);
        backUp("backup.db");
        shell.run("mkdir other && touch other/petstore.db");
        Ending restore = shell.petstore("restore ./backup.db --data ./other");
        assertThat(restore.code()).as(restore.toString()).isZero();
        assertThat(restore.err()).singleElement().asString().startsWith("Restored 1 animal ");
        assertThat(pets(folder.resolve("other"))).hasSize(1);
    }

    @Test
    void refusesRestoreMoveAndImportWithIdsWhileServerRunsAndBackupToExistingFile() throws IOException {
        Files.writeString(folder.resolve("animals.ndjson"), "{\"id\":7,\"name\":\"Rex\",\"categoryId\":7}\n");
        try (PetstoreProcess server = serve(shell.data())) {
            server.client(KEY).post(PET);
            assertThat(shell.petstore("backup ./backup.db").err())
                    .containsExactly("Backed up 1 animal to ./backup.db, verified");
            Ending again = shell.petstore("backup ./backup.db");
            assertThat(again).isEqualTo(new Ending(1, List.of(),
                    List.of("petstore: ./backup.db exists already; choose another name")));
            assertThat(shell.petstore("backup ./none/backup.db"))
                    .isEqualTo(new Ending(1, List.of(), List.of("petstore: there is no folder for ./none/backup.db")));
            Ending refusal = new Ending(1, List.of(), List.of("petstore: the store in ./data is in use by"
                    + " process " + server.pid() + ", which serves http://127.0.0.1:" + server.port()
                    + "/v1; stop that one, or choose another folder with --data"));
            for (String command : List.of("restore backup.db", "move --to postgresql://127.0.0.1:1/none",
                    "import --keep-ids animals.ndjson")) {
                assertThat(shell.run("petstore " + command)).as(command).isEqualTo(refusal);
            }
            assertThat(shell.petstore("import --keep-ids --dry-run ./animals.ndjson").err())
                    .containsExactly("Checked: 1 animal is good");
            assertThat(server.client(KEY).post(PET).statusCode()).isEqualTo(201);
        }
        assertThat(shell.petstore("restore ./backup.db --data ./none/of/these").code()).isZero();
        assertThat(pets(folder.resolve("none/of/these"))).hasSize(1);
    }

    /// The time is a field in the header of the database file, so a restore copies it too.
    @Test
    void backupRecordsItsTimeInStoreAndBackupFile() throws IOException {
        importAnimals(1);
        assertThat(backupTime("data/petstore.db")).as("never backed up").isZero();
        long before = Instant.now().getEpochSecond();
        assertThat(shell.petstore("backup ./backup.db").code()).isZero();
        long first = backupTime("data/petstore.db");
        assertThat(first).isBetween(before, Instant.now().getEpochSecond());
        assertThat(backupTime("backup.db")).isEqualTo(first);

        await().until(() -> Instant.now().getEpochSecond() > first);
        assertThat(shell.petstore("backup ./later.db").code()).isZero();
        assertThat(backupTime("data/petstore.db")).isGreaterThan(first);
        assertThat(shell.petstore("restore ./backup.db").code()).isZero();
        assertThat(backupTime("data/petstore.db")).as("time in the restored backup").isEqualTo(first);
    }

    /// Returns the field `user_version` of the file's header, as `PRAGMA user_version` does: the time in epoch seconds, or 0.
    private long backupTime(String file) throws IOException {
        byte[] header = Arrays.copyOf(Files.readAllBytes(folder.resolve(file)), 100);
        return Integer.toUnsignedLong(ByteBuffer.wrap(header).getInt(60));
    }

    @Test
    void acceptsFileNamedLikeStdout() throws IOException {
        importAnimals(1);
        assertThat(shell.run("petstore backup ./- && petstore restore ./- --data other").code()).isZero();
        assertThat(pets(folder.resolve("other"))).hasSize(1);
    }

    @Test
    void restoreIsRefusedWhileAnotherCommandChangesStore() throws IOException {
        importAnimals(1);
        backUp("backup.db");
        try (FolderLock _ = FolderLock.change(shell.data())) {
            assertThat(shell.run("petstore restore backup.db")).isEqualTo(new Ending(1, List.of(), List.of(
                    "petstore: another command reads or changes the store in ./data; try again when that has ended")));
            assertThat(shell.run("petstore import animals.ndjson && petstore keys create --name shop").code()).isZero();
        }
        assertThat(shell.petstore("restore ./backup.db").code()).isZero();
        assertThat(pets(shell.data())).hasSize(1);
    }

    @Test
    void commandsAreRefusedWhileStoreIsReplaced() throws IOException {
        importAnimals(1);
        try (FolderLock _ = FolderLock.replace(shell.data())) {
            Ending refusal = new Ending(1, List.of(),
                    List.of("petstore: the store in ./data is in use by process " + ProcessHandle.current().pid()
                            + ", which excludes other commands; try again when that has ended"));
            for (String command : List.of("import animals.ndjson", "keys create --name shop", "keys list",
                    "backup copy.db")) {
                assertThat(shell.run("petstore " + command)).as(command).isEqualTo(refusal);
            }
        }
        assertThat(pets(shell.data())).hasSize(1);
    }

    /// Root can read every file unless it drops its capabilities.
    @Test
    void reportsUnreadableStoreAndBackup() throws IOException {
        importAnimals(1);
        String unprivileged = "b() { [ $(id -u) != 0 ] || set -- setpriv --inh-caps=-all --bounding-set=-all \"$@\"; \"$@\"; };";
        Files.createDirectory(folder.resolve("here"));
        backUp("here/backup.db");
        assumeThat(shell.run("chmod 0 data here;" + unprivileged
                + " b true && ! b ls data/petstore.db").code()).as("file permissions are enforced").isZero();
        for (String command : List.of("keys list", "export animals.ndjson", "backup other.db")) {
            assertThat(shell.run(unprivileged + "b petstore " + command)).as(command).isEqualTo(new Ending(1, List.of(),
                    List.of("petstore: the store's folder ./data (--data) cannot be read: permission denied")));
        }
        assertThat(shell.run(unprivileged + "b petstore restore here/backup.db --data other")).isEqualTo(new Ending(1,
                List.of(), List.of("petstore: here/backup.db cannot be read: permission denied")));
        shell.run("chmod 700 data here");
        assertThat(shell.petstore("restore ./here/backup.db").code()).isZero();
        assertThat(shell.petstore("restore ./here").err()).containsExactly("petstore: ./here is not a file");
    }

    /// Otherwise the service, which runs as another user, could not use the store.
    @Test
    void storeFilesMadeByRootBelongToOwnerOfFolder() throws IOException {
        importAnimals(1);
        backUp("backup.db");
        assumeThat(shell.run("mkdir other restored && chown 65534 other restored").code())
                .as("only root can change the owner of folders").isZero();
        assertThat(shell.petstore("restore ./backup.db --data ./restored").code()).isZero();
        assertThat(shell.petstore("keys create --name shop --data ./other").code()).isZero();
        assertThat(shell.run("mkdir elsewhere && chown 65534 elsewhere").code()).isZero();
        assertThat(shell.petstore("backup ./elsewhere/copy.db").code()).isZero();
        Ending owners = shell.run("stat -c '%n %u %a' restored/* other/* elsewhere/*");
        assertThat(owners.out()).containsExactlyInAnyOrder("restored/petstore.db 65534 600",
                "restored/petstore.lock 65534 600", "other/petstore.db 65534 600", "other/petstore.lock 65534 600",
                "elsewhere/copy.db 0 600");
    }

    @Test
    void backupAndExportRefuseDanglingLink() throws IOException {
        importAnimals(1);
        Files.createSymbolicLink(folder.resolve("link"), Path.of("nothing"));
        assertThat(shell.petstore("backup ./link").err())
                .containsExactly("petstore: ./link exists already; choose another name");
        assertThat(shell.petstore("export --format csv ./link").err()).containsExactly(
                "petstore: ./link is a symbolic link to a missing file; remove the link, or name another file");
        assertThat(shell.run("ls; readlink link").out()).containsExactly("animals.ndjson", "data", "link", "nothing");
    }

    @Test
    void acceptsSymbolicLinkAsStoreFolder() throws IOException {
        importAnimals(1);
        shell.run("mv data real && ln -s real data");
        for (String command : List.of("backup ./backup.db", "import ./animals.ndjson", "restore ./backup.db")) {
            assertThat(shell.petstore(command).code()).as(command).isZero();
        }
        assertThat(shell.run("test -L data && ls -d real/replaced-*.db").code()).isZero();
        assertThat(pets(folder.resolve("real"))).hasSize(1);
    }

    @Test
    void restoreRefusesStoreItself() throws IOException {
        importAnimals(1);
        assertThat(shell.petstore("restore ./data/petstore.db").err())
                .containsExactly("petstore: ./data/petstore.db is the store itself; name a backup");
        assertThat(pets(shell.data())).hasSize(1);
    }

    @Test
    void interruptedBackupLeavesNoFiles() throws IOException {
        importAnimals(50_000);
        Ending ending = shell
                .run("petstore backup b.db 2>said & until ls b.db.*.part-wal >ls 2>&1 || ! kill -0 $!; do :; done;"
                        + " kill $!; wait $!; echo $?; cat said; ls b.db* 2>ls");
        assertThat(ending.out()).containsExactly("143", "petstore: the backup was interrupted");
    }

    private static PetstoreProcess serve(Path data) {
        return PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), data).awaitReady();
    }

    private void importAnimals(int count) throws IOException {
        Files.writeString(folder.resolve("animals.ndjson"), (PET + "\n").repeat(count));
        CommandLines.run(shell.data(), "import", folder.resolve("animals.ndjson").toString());
    }

    /// Makes a backup in this process, for tests of other commands.
    private void backUp(String name) {
        CommandLines.run(shell.data(), "backup", folder.resolve(name).toString());
    }

    private static List<Pet> pets(Path data) {
        try (StoreFile file = new StoreFile(data)) {
            assertThat(file.integrity()).isEqualTo("ok");
            return file.pets();
        }
    }

    /// Damage to a backup file.
    @FunctionalInterface
    private interface Damage {
        void applyTo(FileChannel file) throws IOException;
    }

    private void damagedCopyOfGood(String name, Damage damage) throws IOException {
        Path copy = Files.copy(folder.resolve("good.db"), folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            damage.applyTo(file);
        }
    }
}
