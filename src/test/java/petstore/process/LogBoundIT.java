package petstore.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.CommandLines;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The write-ahead log under the readers of 16 processors, which leave it no moment without a reader.
@EnabledIfSystemProperty(named = "petstore.log.minutes", matches = "[0-9]+")
class LogBoundIT {

    private static final String KEY = "a-key-for-the-test-of-the-log";
    private static final int ANIMALS = 100_000;
    private static final int LISTING = 256;
    private static final int CREATING = 64;
    /// 64 MB, and 1,000 pages of 4 KB until the checkpoint.
    private static final long LARGEST_LOG = 68L * 1024 * 1024;
    private static final Duration LONGEST_CREATE = Duration.ofSeconds(2);

    @TempDir
    private Path folder;

    @Test
    void logStaysBoundedBesideReaders() throws IOException {
        Duration time = Duration.ofMinutes(Long.getLong("petstore.log.minutes"));
        Path animals = Files.writeString(folder.resolve("animals.ndjson"),
                "{\"name\":\"Rex\",\"categoryId\":7}\n".repeat(ANIMALS));
        Path data = folder.resolve("data");
        CommandLines.run(data, "import", animals.toString());
        Path log = data.resolve("petstore.db-wal");
        AtomicLong largest = new AtomicLong();
        AtomicLong listed = new AtomicLong();
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_JAVA_OPTIONS",
                "-XX:ActiveProcessorCount=16"), data).awaitReady()) {
            AtomicBoolean stopped = new AtomicBoolean();
            try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                    Load load = new Load(CREATING, server.port(), KEY, ledger, () -> {
                    })) {
                for (int i = 0; i < LISTING; i++) {
                    var _ = threads.submit(() -> list(http, server.port(), stopped, listed));
                }
                await().during(time).atMost(time.plusMinutes(1)).pollInterval(Duration.ofMillis(100))
                        .until(() -> largest.accumulateAndGet(log.toFile().length(), Math::max) <= LARGEST_LOG);
                stopped.set(true);
                System.out.printf("LogBoundIT: %d animals added, %d refused, %d lists; largest log %d KB;"
                        + " longest create %d ms%n", ledger.acknowledged(), ledger.refused(), listed.get(),
                        largest.get() / 1024, load.longest().toMillis());
                assertThat(load.longest()).isLessThan(LONGEST_CREATE);
            } finally {
                stopped.set(true);
            }
            assertThat(listed).hasPositiveValue();
            assertThat(server.err()).isEmpty();
        }
    }

    private static Void list(HttpClient http, int port, AtomicBoolean stopped, AtomicLong listed)
            throws IOException, InterruptedException {
        while (!stopped.get()) {
            URI page = URI.create("http://127.0.0.1:" + port + "/v1/pets?limit=100&after="
                    + ThreadLocalRandom.current().nextInt(ANIMALS));
            int status = http.send(HttpRequest.newBuilder(page).header("Authorization", "Bearer " + KEY).build(),
                    BodyHandlers.discarding()).statusCode();
            if (status == 200) {
                listed.incrementAndGet();
            }
        }
        return null;
    }
}
