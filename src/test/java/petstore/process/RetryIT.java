package petstore.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Pet;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.RawClient;
import petstore.testkit.StoreFile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

/// Retries with an Idempotency-Key. Each key adds one animal, although connections break at random bytes and the process is killed
/// repeatedly.
class RetryIT {

    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int KEYS = Integer.getInteger("petstore.retries", 1_000);
    private static final int SENDS = 5;
    private static final int CLIENTS = 16;
    private static final int RESPONSES_BETWEEN_KILLS = Math.max(1, KEYS * 3 / 2);
    private static final String KEY = "a-key-for-the-test-that-retries";
    private static final Set<Integer> RETRYABLE_STATUSES = Set.of(409, 503);

    private final Path folder;
    private final Semaphore killsDue = new Semaphore(0);
    private final AtomicInteger responses = new AtomicInteger();
    private final Map<Integer, Set<String>> successes = new ConcurrentHashMap<>();
    private volatile PetstoreProcess server;

    RetryIT(@TempDir Path temporary) {
        folder = temporary.resolve("data");
        server = start(folder);
    }

    @Test
    void addsOneAnimalPerKey() throws InterruptedException, ExecutionException {
        System.out.println("RetryIT: -Dpetstore.retries=" + KEYS + " -Dpetstore.seed=" + SEED);
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Integer>> work = IntStream.range(0, CLIENTS)
                    .mapToObj(client -> clients.submit(() -> send(client)))
                    .toList();
            int kills = 0;
            while (work.stream().anyMatch(part -> !part.isDone())) {
                if (killsDue.tryAcquire(50, TimeUnit.MILLISECONDS)) {
                    server.close();
                    server = start(folder);
                    kills++;
                }
            }
            for (Future<Integer> part : work) {
                assertThat(part.get()).isPositive();
            }
            assertThat(kills).isPositive();
        } finally {
            server.close();
        }
        assertThat(successes).hasSize(KEYS).allSatisfy((_, responsesOfKey) -> assertThat(responsesOfKey).hasSize(1));
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.pets()).hasSize(KEYS);
            assertThat(new HashSet<>(file.pets().stream().map(Pet::name).toList())).hasSize(KEYS);
        }
    }

    private static PetstoreProcess start(Path folder) {
        return PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
    }

    /// Sends every key of a client five times, and then until it succeeds once.
    private int send(int client) {
        Random random = new Random(SEED + client);
        Map<Integer, Integer> sends = new HashMap<>();
        for (int round = 0; round < SENDS; round++) {
            for (int key = client; key < KEYS; key += CLIENTS) {
                do {
                    sends.merge(key, 1, Integer::sum);
                    send(key, random, round == SENDS - 1);
                } while (round == SENDS - 1 && !successes.containsKey(key));
            }
        }
        return sends.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void send(int key, Random random, boolean complete) {
        byte[] request = request(key);
        int length = complete || random.nextBoolean() ? request.length : random.nextInt(request.length + 1);
        try (RawClient connection = new RawClient(server.port())) {
            connection.send(Arrays.copyOf(request, length));
            if (length == request.length && (complete || random.nextInt(4) > 0)) {
                connection.response().ifPresent(response -> recordResponse(key, response));
            }
        } catch (IOException | IllegalStateException e) {
            // The server was killed. The next round sends the key again.
        }
    }

    private void recordResponse(int key, RawClient.Response response) {
        if (responses.incrementAndGet() % RESPONSES_BETWEEN_KILLS == 0) {
            killsDue.release();
        }
        if (RETRYABLE_STATUSES.contains(response.status())) {
            return;
        }
        assertThat(response.status()).isEqualTo(201);
        List<String> location = response.headers().getOrDefault("location", List.of());
        assertThat(location).hasSize(1);
        successes.computeIfAbsent(key, _ -> ConcurrentHashMap.newKeySet())
                .add(response.status() + " " + location.getFirst() + " " + response.body());
    }

    private static byte[] request(int key) {
        String body = "{\"name\":\"pet" + key + "\",\"categoryId\":" + key + "}";
        return ("POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + KEY
                + "\r\nContent-Type: application/json\r\nIdempotency-Key: key-" + key + "\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n" + body).getBytes(ISO_8859_1);
    }
}
