package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Pet;
import petstore.testkit.Disk;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// Durability after SIGKILL: the program is killed while clients add animals, and its store is compared with its responses.
///
/// A kill does not change the page cache of the operating system, so it does not test `synchronous`. Where [Disk] works,
/// about every second kill therefore also reverts the writes that were not synced yet.
///
/// `-Dpetstore.kills=N` kills N times. `-Dpetstore.seed=S` repeats the moments of an earlier run.
class KillIT {

    private static final int KILLS = Integer.getInteger("petstore.kills", 10);
    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int CLIENTS = 16;
    private static final String KEY = "a-key-for-the-test-that-kills";
    private static final Duration LONGEST_START_PAUSE = Duration.ofMillis(900);
    private static final Duration LONGEST_LOAD_PAUSE = Duration.ofMillis(250);
    private static final int MAX_RESPONSES = 1_000;

    /// The moment at which the program is killed.
    private enum Moment {
        STARTING, AFTER_A_RESPONSE, UNDER_LOAD
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
    void keepsEveryAcknowledgedAnimalExactlyOnce() throws InterruptedException {
        System.out.println("KillIT: -Dpetstore.kills=" + KILLS + " -Dpetstore.seed=" + SEED);
        for (int i = 0; i < KILLS; i++) {
            Moment moment = Moment.values()[i % Moment.values().length];
            // The end of this block kills the process, also after a failure.
            try (PetstoreProcess server = start()) {
                if (moment == Moment.STARTING) {
                    pause(LONGEST_START_PAUSE);
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
        AtomicInteger responsesLeft = new AtomicInteger(1 + random.nextInt(MAX_RESPONSES));
        try (Load load = new Load(CLIENTS, server.port(), KEY, ledger, () -> {
            loaded.countDown();
            if (responsesLeft.decrementAndGet() == 0 && moment == Moment.AFTER_A_RESPONSE) {
                server.kill();
            }
        })) {
            if (moment == Moment.UNDER_LOAD) {
                assertThat(loaded.await(30, TimeUnit.SECONDS)).isTrue();
                pause(LONGEST_LOAD_PAUSE);
                server.kill();
            }
            load.awaitEnd();
        }
    }

    private void pause(Duration longest) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(random.nextLong(longest.toNanos()));
    }

    /// Compares the store file with the ledger, and the pages of the server with the store file.
    private void verify(PetstoreProcess server) {
        List<Pet> kept;
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.integrity()).isEqualTo("ok");
            kept = file.pets();
        }
        ledger.verify(kept);
        assertThat(Ledger.listAfter(server.client(KEY), verifiedId))
                .isEqualTo(kept.stream().filter(pet -> pet.id() > verifiedId).toList());
        verifiedId = kept.isEmpty() ? 0 : kept.getLast().id();
    }
}
