package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import petstore.Pet;
import petstore.testkit.ApiClient;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore import` and `petstore export` beside a running server under continuous load.
class ImportExportUnderLoadIT extends AbstractShellTest {

    private static final String KEY = "a-key-for-the-test-of-transfers";
    private static final int CLIENTS = 16;
    private static final int IMPORTED = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

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
