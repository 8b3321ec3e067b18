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

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.NewPet;
import petstore.Pet;
import petstore.testkit.ApiClient;
import petstore.testkit.Ledger;
import petstore.testkit.OwnPostgres;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A database that is gone for a while, under load: every request is answered in time, and nothing is lost or
/// added twice.
class DatabaseOutageIT {

    private static final String KEY = "a-key-for-the-test-of-outages";
    /// The two seconds in which the service answers or is back, and slack for a busy machine.
    private static final Duration LIMIT = Duration.ofSeconds(2 + 3);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DURATION = "http_server_request_duration_seconds";
    private static final String REFUSED = "http_response_status_code=\"503\"";
    /// Longer than the limit, and long enough for waits that would grow from one try to connect to the next.
    private static final Duration OUTAGE = Duration.ofSeconds(9);
    private static final String FULL_PAGE = "/v1/pets?limit=2";
    private static final int CLIENTS = 4;
    private static final int AT_ONCE = 32;

    @TempDir
    private Path folder;
    private final Ledger ledger = new Ledger();

    @Test
    void answersInTimeWhileTheDatabaseIsStoppedAndGoesOnAfterwards() throws InterruptedException, ExecutionException {
        goesOnAfter(OwnPostgres::stop, OwnPostgres::restart, false);
    }

    @Test
    void answersInTimeWhileTheDatabaseIsSilentAndGoesOnAfterwards() throws InterruptedException, ExecutionException {
        goesOnAfter(OwnPostgres::freeze, OwnPostgres::thaw, true);
    }

    @FunctionalInterface
    private interface Change {
        void to(OwnPostgres database);
    }

    /// @param silent true if the service notices the outage only when the database has not responded for some time
    private void goesOnAfter(Change takeAway, Change giveBack, boolean silent)
            throws InterruptedException, ExecutionException {
        try (OwnPostgres database = new OwnPostgres(folder);
                PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of("PETSTORE_API_KEY", KEY),
                        database.database()).awaitReady();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Load load = new Load(server.client(KEY))) {
            ApiClient client = server.client(KEY);
            assertThat(client.post(Ledger.json(ledger.next())).statusCode()).isEqualTo(201);
            List<Future<?>> clients = IntStream.range(0, CLIENTS).<Future<?>>mapToObj(_ -> threads.submit(load))
                    .toList();
            await("animals before the outage").atMost(PATIENCE).until(() -> ledger.acknowledged() > 200);

            String fullPage = keepInMemory(client);
            takeAway.to(database);
            if (silent) {
                assertThat(client.get(FULL_PAGE).body()).as("needs no database").isEqualTo(fullPage);
            }
            Instant begin = Instant.now();
            Instant end = begin.plus(OUTAGE);
            try {
                while (Instant.now().isBefore(end)) {
                    HttpResponse<String> page = inTime(() -> client.get(FULL_PAGE));
                    if (page.statusCode() == 200 && Instant.now().isBefore(begin.plus(LIMIT))) {
                        assertThat(page.body()).isEqualTo(fullPage);
                    } else {
                        assertUnavailable(List.of(page));
                    }
                    assertUnavailable(sendAtOnce(threads, client));
                    ApiClient admin = new ApiClient(server.adminPort(), "");
                    assertUnavailable(List.of(inTime(() -> admin.get("/readyz"))));
                    assertThat(inTime(() -> admin.get("/livez")).statusCode()).isEqualTo(200);
                }
            } finally {
                giveBack.to(database);
            }
            int before = ledger.acknowledged();
            await("the service is back").atMost(LIMIT)
                    .until(() -> ledger.acknowledged() > before && client.get("/v1/pets").statusCode() == 200);
            assertThat(new ApiClient(server.adminPort(), "").get("/readyz").statusCode()).isEqualTo(200);

            load.stopped = true;
            for (Future<?> one : clients) {
                one.get();
            }
            assertThat(ledger.refused()).isGreaterThanOrEqualTo(CLIENTS);
            ledger.verify(all(client));
            // By the service's own clock, of which a pause of the machine spoils but a few.
            assertThat(server.metric(DURATION + "_bucket", REFUSED, "le=\"2.5\""))
                    .isGreaterThan(0.9 * server.metric(DURATION + "_count", REFUSED));
            assertThat(server.err()).as("why").anyMatch(line -> line.contains("the database cannot be used: "));
        }
    }

    /// Returns a page that another page follows, once it is in memory.
    private static String keepInMemory(ApiClient client) {
        client.get(FULL_PAGE);
        client.get(FULL_PAGE);
        return client.get(FULL_PAGE).body();
    }

    /// Adds animals, each with an Idempotency-Key of its own, again and again until it is acknowledged.
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
                    response = inTime(() -> client.post(Ledger.json(pet), "Idempotency-Key",
                            "animal" + pet.categoryId()));
                    ledger.answered(pet, response);
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

    /// Requests of every kind, all at once.
    private List<HttpResponse<String>> sendAtOnce(ExecutorService threads, ApiClient client)
            throws InterruptedException, ExecutionException {
        List<Callable<HttpResponse<String>>> requests = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            requests.add(switch (i % 5) {
                case 0 -> () -> inTime(() -> client.get("/v1/pets"));
                case 1 -> () -> inTime(() -> client.get("/v1/pets/1"));
                case 2 -> () -> inTime(() -> client.get("/v1/pets?status=sold&limit=100"));
                case 3 -> () -> inTime(() -> client.get("/readyz"));
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
        HttpResponse<String> response = inTime(() -> client.post(Ledger.json(pet)));
        ledger.answered(pet, response);
        return response;
    }

    private static HttpResponse<String> inTime(Supplier<HttpResponse<String>> request) {
        long sent = System.nanoTime();
        HttpResponse<String> response = request.get();
        assertThat(Duration.ofNanos(System.nanoTime() - sent)).as("%s: %s", response, response.body()).isLessThan(LIMIT);
        return response;
    }

    private static void assertUnavailable(List<HttpResponse<String>> responses) {
        assertThat(responses).allSatisfy(response -> {
            assertThat(response.statusCode()).as("%s: %s", response, response.body()).isEqualTo(503);
            assertThat(response.headers().allValues("Retry-After")).containsExactly("1");
            assertThat(ServedContract.json(response.body()).path("code").asText()).isEqualTo("unavailable");
        });
    }

    private static List<Pet> all(ApiClient client) {
        List<Pet> all = new ArrayList<>();
        List<Pet> page;
        do {
            long after = all.isEmpty() ? 0 : all.getLast().id();
            page = ServedContract.json(client.get("/v1/pets?limit=100&after=" + after).body()).valueStream()
                    .map((JsonNode json) -> Ledger.pet(json)).toList();
            all.addAll(page);
        } while (!page.isEmpty());
        return all;
    }
}
