package petstore.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.NewPet;
import petstore.testkit.ApiClient;
import petstore.testkit.Ledger;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PlainPostgres;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The service under load during an outage of its database: it responds to every request in time, and no animal is lost or
/// added twice.
class DatabaseOutageIT {

    private static final String KEY = "a-key-for-the-test-of-outages";
    /// The service responds and recovers within two seconds; three more are slack for a busy machine.
    private static final Duration TIME_LIMIT = Duration.ofSeconds(2 + 3);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DURATION = "http_server_request_duration_seconds";
    private static final String REFUSED = "http_response_status_code=\"503\"";
    /// Longer than the limit, and long enough to detect delays that grow with each attempt to connect.
    private static final Duration OUTAGE = Duration.ofSeconds(9);
    /// Leaves the processors to other tests.
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(50);
    private static final String FULL_PAGE = "/v1/pets?limit=2";
    /// Needs the database: memory cannot know that no animal follows.
    private static final String LAST_PAGE = "/v1/pets?after=1000000000";
    private static final int CLIENTS = 4;
    private static final int CONCURRENT_REQUESTS = 32;

    @TempDir
    private Path folder;
    private final Ledger ledger = new Ledger();

    @Test
    void respondsInTimeWhileDatabaseIsStoppedAndRecovers() throws InterruptedException, ExecutionException {
        assertSurvivesOutage(PlainPostgres::stop, PlainPostgres::start, false);
    }

    @Test
    void respondsInTimeWhileDatabaseIsFrozenAndRecovers() throws InterruptedException, ExecutionException {
        assertSurvivesOutage(PlainPostgres::freeze, PlainPostgres::thaw, true);
    }

    @FunctionalInterface
    private interface Change {
        void applyTo(PlainPostgres database);
    }

    /// @param silent true if the service detects the outage only by a timeout, since connections stay open
    private void assertSurvivesOutage(Change beginOutage, Change endOutage, boolean silent)
            throws InterruptedException, ExecutionException {
        try (PlainPostgres database = new PlainPostgres(folder.resolve("postgresql"));
                PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of("PETSTORE_API_KEY", KEY),
                        database.url()).awaitReady();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Load load = new Load(server.client(KEY))) {
            ApiClient client = server.client(KEY);
            assertThat(client.post(Ledger.json(ledger.next())).statusCode()).isEqualTo(201);
            List<Future<?>> clients = IntStream.range(0, CLIENTS).<Future<?>>mapToObj(_ -> threads.submit(load))
                    .toList();
            await("animals before the outage").atMost(PATIENCE).until(() -> ledger.acknowledged() > 200);

            String host = database.host();
            String fullPage = cachePage(client);
            beginOutage.applyTo(database);
            if (silent) {
                assertThat(client.get(FULL_PAGE).body()).as("cached page, which needs no database").isEqualTo(fullPage);
            }
            Instant begin = Instant.now();
            Instant end = begin.plus(OUTAGE);
            try {
                while (Instant.now().isBefore(end)) {
                    HttpResponse<String> page = sendInTime(() -> client.get(FULL_PAGE));
                    if (page.statusCode() == 200 && Instant.now().isBefore(begin.plus(TIME_LIMIT))) {
                        assertThat(page.body()).isEqualTo(fullPage);
                    } else {
                        assertUnavailable(List.of(page));
                    }
                    assertUnavailable(sendConcurrently(threads, client));
                    ApiClient admin = new ApiClient(server.adminPort(), "");
                    HttpResponse<String> forOperators = sendInTime(() -> admin.get("/readyz"));
                    assertThat(forOperators.statusCode()).isEqualTo(503);
                    assertThat(forOperators.body()).contains(host);
                    assertThat(sendInTime(() -> admin.get("/livez")).statusCode()).isEqualTo(200);
                    Thread.sleep(BETWEEN_ROUNDS);
                }
            } finally {
                endOutage.applyTo(database);
            }
            int before = ledger.acknowledged();
            await("the service is back").atMost(TIME_LIMIT)
                    .until(() -> ledger.acknowledged() > before && client.get("/v1/pets").statusCode() == 200);
            assertThat(new ApiClient(server.adminPort(), "").get("/readyz").statusCode()).isEqualTo(200);

            load.stopped = true;
            for (Future<?> loadClient : clients) {
                loadClient.get();
            }
            assertThat(ledger.refused()).isGreaterThanOrEqualTo(CLIENTS);
            ledger.verify(Ledger.listAfter(client, 0));
            // The service measures these durations itself, so a pause of the machine distorts only a few.
            assertThat(server.metric(DURATION + "_bucket", REFUSED, "le=\"2.5\""))
                    .isGreaterThan(0.9 * server.metric(DURATION + "_count", REFUSED));
            assertOneOutage(server, host, "the database cannot be used: ", "the database can be used again after ");
            assertOneOutage(server, host, "API keys cannot be read: ", "API keys can be read again after ");
        }
    }

    private static void assertOneOutage(PetstoreProcess server, String host, String begin, String end) {
        await(end).atMost(TIME_LIMIT).untilAsserted(() -> assertThat(server.err())
                .filteredOn(line -> line.contains(" - " + begin) || line.contains(" - " + end))
                .satisfiesExactly(
                        line -> assertThat(line).contains(begin, host + ": ").doesNotContain("check that the sync"),
                        line -> assertThat(line).contains(end)));
    }

    /// Requests a page that has a next page three times, so that it is cached. Returns its body.
    private static String cachePage(ApiClient client) {
        client.get(FULL_PAGE);
        client.get(FULL_PAGE);
        return client.get(FULL_PAGE).body();
    }

    /// A client that adds animals, each with its own Idempotency-Key, and retries while the response is 503.
    private final class Load implements Callable<Integer>, AutoCloseable {

        private final ApiClient client;
        private volatile boolean stopped;

        Load(ApiClient client) {
            this.client = client;
        }

        @Override
        public Integer call() throws InterruptedException {
            int sent = 0;
            while (!stopped) {
                NewPet pet = ledger.next();
                HttpResponse<String> response;
                do {
                    response = sendInTime(() -> client.post(Ledger.json(pet), "Idempotency-Key",
                            "animal" + pet.categoryId()));
                    ledger.recordResponse(pet, response);
                    sent++;
                    if (response.statusCode() == 503) {
                        TimeUnit.MILLISECONDS.sleep(20);
                    }
                } while (response.statusCode() == 503 && !stopped);
            }
            return sent;
        }

        @Override
        public void close() {
            stopped = true;
        }
    }

    /// Sends requests of every kind concurrently, and returns their responses.
    private List<HttpResponse<String>> sendConcurrently(ExecutorService threads, ApiClient client)
            throws InterruptedException, ExecutionException {
        List<Callable<HttpResponse<String>>> requests = new ArrayList<>();
        for (int i = 0; i < CONCURRENT_REQUESTS; i++) {
            requests.add(switch (i % 5) {
                case 0 -> () -> sendInTime(() -> client.get(LAST_PAGE));
                case 1 -> () -> sendInTime(() -> client.get("/v1/pets/1"));
                case 2 -> () -> sendInTime(() -> client.get("/v1/pets?status=sold&limit=100"));
                case 3 -> () -> sendInTime(() -> client.get("/readyz"));
                default -> () -> create(client);
            });
        }
        List<HttpResponse<String>> responses = new ArrayList<>();
        for (Future<HttpResponse<String>> response : threads.invokeAll(requests)) {
            responses.add(response.get());
        }
        return responses;
    }

    private HttpResponse<String> create(ApiClient client) {
        NewPet pet = ledger.next();
        HttpResponse<String> response = sendInTime(() -> client.post(Ledger.json(pet)));
        ledger.recordResponse(pet, response);
        return response;
    }

    private static HttpResponse<String> sendInTime(Supplier<HttpResponse<String>> request) {
        long sent = System.nanoTime();
        HttpResponse<String> response = request.get();
        assertThat(Duration.ofNanos(System.nanoTime() - sent)).as("%s: %s", response, response.body())
                .isLessThan(TIME_LIMIT);
        return response;
    }

    private static void assertUnavailable(List<HttpResponse<String>> responses) {
        assertThat(responses).allSatisfy(response -> {
            assertThat(response.statusCode()).as("%s: %s", response, response.body()).isEqualTo(503);
            assertThat(response.headers().allValues("Retry-After")).containsExactly("1");
            assertThat(ServedContract.json(response.body()).path("code").asText()).isEqualTo("unavailable");
            assertThat(response.body()).doesNotContain("127.0.0.1", "refused");
        });
    }
}
