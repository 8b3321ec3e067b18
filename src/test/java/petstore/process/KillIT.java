package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Pet;
import petstore.testkit.ApiClient;
import petstore.testkit.Disk;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// Kills the program by SIGKILL while clients add animals, starts it again, and compares its store with its responses.
///
/// A killed process leaves the page cache of the operating system as it is, which says nothing about `synchronous`. So about
/// every second kill also reverts the writes that were not synced yet, where [Disk] can do that.
///
/// `-Dpetstore.kills=N` kills N times, `-Dpetstore.seed=S` at the moments of an earlier run.
class KillIT {

    private static final int KILLS = Integer.getInteger("petstore.kills", 20);
    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int CLIENTS = 16;
    private static final String KEY = "a-key-for-the-test-that-kills";
    private static final Duration START = Duration.ofMillis(900);
    private static final Duration LOAD = Duration.ofMillis(250);
    private static final int MOST_ANSWERS = 1_000;

    /// When the program is killed.
    private enum Moment {
        STARTING, AT_AN_ANSWER, UNDER_LOAD
    }

    private final Random random = new Random(SEED);
    private final Ledger ledger = new Ledger();
    private long verifiedId;

    private final Path folder;
    private final Optional<Disk> disk;

    KillIT(@TempDir Path temporary) {
        folder = temporary.resolve("data");
        disk = Disk.in(temporary.resolve("disk"));
    }

    @Test
    void keepsEveryAcknowledgedAnimalOnce() throws InterruptedException {
        System.out.println("KillIT: -Dpetstore.kills=" + KILLS + " -Dpetstore.seed=" + SEED);
        for (int i = 0; i < KILLS; i++) {
            Moment moment = Moment.values()[i % Moment.values().length];
            // The end of this block kills the process, also after a failure.
            try (PetstoreProcess server = start()) {
                if (moment == Moment.STARTING) {
                    pause(START);
                } else {
                    verify(server.awaitReady());
                    killUnderLoad(server, moment);
                }
            }
            if (random.nextBoolean()) {
                disk.ifPresent(d -> d.losePower(folder));
            }
        }
        try (PetstoreProcess server = start()) {
            verify(server.awaitReady());
            verifiedId = 0;
            verify(server);
        }
        assertThat(ledger.refused()).isZero();
        System.out.println("KillIT: " + ledger.acknowledged() + " animals were acknowledged");
    }

    private PetstoreProcess start() {
        Map<String, String> environment = new HashMap<>(Map.of("PETSTORE_API_KEY", KEY));
        disk.map(Disk::environment).ifPresent(environment::putAll);
        return PetstoreProcess.serve(environment, folder);
    }

    private void killUnderLoad(PetstoreProcess server, Moment moment) throws InterruptedException {
        CountDownLatch loaded = new CountDownLatch(1);
        AtomicInteger answersLeft = new AtomicInteger(1 + random.nextInt(MOST_ANSWERS));
        try (Load load = new Load(CLIENTS, server.port(), KEY, ledger, () -> {
            loaded.countDown();
            if (answersLeft.decrementAndGet() == 0 && moment == Moment.AT_AN_ANSWER) {
                server.kill();
            }
        })) {
            if (moment == Moment.UNDER_LOAD) {
                assertThat(loaded.await(30, TimeUnit.SECONDS)).isTrue();
                pause(LOAD);
                server.kill();
            }
            load.awaitEnd();
        }
    }

    private void pause(Duration longest) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(random.nextLong(longest.toNanos()));
    }

    /// Compares the ledger with the file, and the file with the lists of the server.
    private void verify(PetstoreProcess server) {
        List<Pet> kept;
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.integrity()).isEqualTo("ok");
            kept = file.pets();
        }
        ledger.verify(kept);
        assertThat(shownAfter(server.client(KEY), verifiedId))
                .isEqualTo(kept.stream().filter(pet -> pet.id() > verifiedId).toList());
        verifiedId = kept.isEmpty() ? 0 : kept.getLast().id();
    }

    private static List<Pet> shownAfter(ApiClient client, long id) {
        List<Pet> shown = new ArrayList<>();
        List<Pet> page;
        do {
            long after = shown.isEmpty() ? id : shown.getLast().id();
            page = ServedContract.json(client.get("/v1/pets?limit=100&after=" + after).body()).valueStream()
                    .map((JsonNode json) -> Ledger.pet(json)).toList();
            shown.addAll(page);
        } while (!page.isEmpty());
        return shown;
    }
}
