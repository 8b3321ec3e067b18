package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Pet;
import petstore.testkit.ApiClient;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.ServedContract;
import petstore.testkit.Shell;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore import` and `petstore export` beside a running server under continuous load.
class ImportExportUnderLoadIT {

    private static final String KEY = "a-key-for-the-test-of-transfers";
    private static final int CLIENTS = 16;
    private static final int IMPORTED = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @TempDir
    private Path folder;
    private Shell shell;

    @BeforeEach
    void openShell() {
        shell = new Shell(folder);
    }

    @Test
    void importIsVisibleAtOnceAndFailsNoRequests() throws IOException, InterruptedException {
        Files.writeString(folder.resolve("animals.ndjson"),
                "{\"name\":\"imported\",\"categoryId\":7}\n".repeat(IMPORTED));
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = serve()) {
            CountDownLatch loaded = new CountDownLatch(200);
            List<Duration> responseTimes = new ArrayList<>();
            Instant begin;
            Instant end;
            int acknowledgedMeanwhile;
            try (Load _ = new Load(CLIENTS, server.port(), KEY, ledger, loaded::countDown)) {
                assertThat(loaded.await(60, TimeUnit.SECONDS)).isTrue();
                begin = Instant.now();
                int before = ledger.acknowledged();
                CompletableFuture<Ending> running = CompletableFuture
                        .supplyAsync(() -> shell.run("petstore import animals.ndjson"), Thread::startVirtualThread);
                ApiClient client = server.client(KEY);
                while (!running.isDone()) {
                    Instant sent = Instant.now();
                    assertThat(client.post("{\"name\":\"imported\",\"categoryId\":8}").statusCode()).isEqualTo(201);
                    responseTimes.add(Duration.between(sent, Instant.now()));
                }
                end = Instant.now();
                acknowledgedMeanwhile = ledger.acknowledged() - before;
                assertThat(running.join()).isEqualTo(
                        new Ending(0, List.of(), List.of("Imported " + IMPORTED + " animals")));
                assertThat(client.get("/v1/pets/" + lastImportedId()).body()).as("visible at once")
                        .contains("imported");
            }
            responseTimes.sort(null);
            System.out.printf("ImportExportUnderLoadIT: import of %d in %d ms; %d clients: %d acknowledged meanwhile;"
                    + " additional client: median %d ms, longest %d ms%n", IMPORTED,
                    Duration.between(begin, end).toMillis(),
                    CLIENTS, acknowledgedMeanwhile, responseTimes.get(responseTimes.size() / 2).toMillis(),
                    responseTimes.getLast().toMillis());
            assertThat(ledger.refused()).isZero();
            assertThat(responseTimes.getLast()).isLessThan(PATIENCE);
            assertThat(server.err()).isEmpty();
        }
        List<Pet> kept = pets();
        assertThat(kept).filteredOn(pet -> pet.name().equals("imported") && pet.categoryId() == 7)
                .hasSize(IMPORTED);
        ledger.verify(kept.stream().filter(pet -> !pet.name().equals("imported")).toList());
    }

    /// `restore` is refused in the same way.
    @Test
    void importWithKeepIdsIsRefusedWhileServerRuns() throws IOException {
        Files.writeString(folder.resolve("animals.ndjson"), "{\"id\":7,\"name\":\"Rex\",\"categoryId\":7}\n");
        try (PetstoreProcess _ = serve()) {
            Ending refused = shell.run("petstore import --keep-ids animals.ndjson");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).singleElement().asString().matches("petstore: the store in ./data"
                    + " is in use by process [0-9]+, which serves http://127.0.0.1:[0-9]+/v1; stop that one, or choose another folder with --data");
            assertThat(shell.run("petstore import --keep-ids --dry-run animals.ndjson"))
                    .isEqualTo(new Ending(0, List.of(), List.of("Checked: 1 animal is good")));
        }
        assertThat(shell.run("petstore import --keep-ids animals.ndjson").code()).isZero();
        assertThat(pets()).extracting(Pet::id).containsExactly(7L);
    }

    @Test
    void exportUnderLoadIsConsistentSnapshot() throws InterruptedException {
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = serve()) {
            CountDownLatch loaded = new CountDownLatch(1_000);
            try (Load _ = new Load(CLIENTS, server.port(), KEY, ledger, loaded::countDown)) {
                assertThat(loaded.await(60, TimeUnit.SECONDS)).isTrue();
                List<Pet> before = pets();
                Ending export = shell.run("petstore export -");
                assertThat(export.code()).as(export.err().toString()).isZero();
                List<Pet> exported = export.out().stream().map(ServedContract::json).map(Ledger::pet).toList();
                assertThat(exported).startsWith(before.toArray(Pet[]::new));
                assertThat(pets()).startsWith(exported.toArray(Pet[]::new));
            }
        }
        assertThat(ledger.refused()).isZero();
    }

    private PetstoreProcess serve() {
        return PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), shell.data()).awaitReady();
    }

    private List<Pet> pets() {
        try (StoreFile file = new StoreFile(shell.data())) {
            return file.pets();
        }
    }

    private String lastImportedId() {
        try (StoreFile file = new StoreFile(shell.data())) {
            return file.text("SELECT max(id) FROM pet WHERE category_id = 7").getFirst();
        }
    }
}
