package petstore.process;

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.Isolated;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.Ledger;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Two replicas of the service on one database, and clients that alternate between them. The tests share the database, so they run one
/// at a time. Alone, because a statement that other tests delay for a second gets a 503.
@Isolated
@Execution(ExecutionMode.SAME_THREAD)
class ReplicasIT {

    private static final String KEY = "a-key-for-the-test-of-replicas";
    private static final Duration REVOCATION_DELAY = Duration.ofSeconds(2);
    private static final int CLIENTS = 8;
    private static final int ANIMALS_PER_CLIENT = 60;
    private static final int PAGE_SIZE = 100;
    private static final int RETRIED_REQUESTS = 50;

    private static final List<PetstoreProcess> REPLICAS = new ArrayList<>();
    private static String database = "";

    @BeforeAll
    static void start() {
        database = PostgresServer.newDatabase();
        for (int i = 0; i < 2; i++) {
            REPLICAS.add(PetstoreProcess.serveDatabase(Map.of("PETSTORE_API_KEY", KEY), database));
        }
        REPLICAS.forEach(PetstoreProcess::awaitReady);
    }

    @AfterAll
    static void stop() {
        REPLICAS.forEach(PetstoreProcess::close);
    }

    @Test
    void listsAnimalsThatOtherReplicaAcknowledged() throws InterruptedException, ExecutionException {
        runConcurrently(CLIENTS, client -> {
            for (int i = 0; i < ANIMALS_PER_CLIENT; i++) {
                ApiClient writer = clientOf(client + i);
                ApiClient reader = clientOf(client + i + 1);
                long last = id(writer.post(pet("list")));
                // All clients read the same pages. Each reads this page before the animal is on it, so that a cached page is stale.
                String page = "/v1/pets?limit=" + PAGE_SIZE + "&after=" + last / (PAGE_SIZE / 2) * (PAGE_SIZE / 2);
                reader.get(page);
                long id = id(writer.post(pet("list")));
                String pageOfId = "/v1/pets?limit=" + PAGE_SIZE + "&after="
                        + (id - 1) / (PAGE_SIZE / 2) * (PAGE_SIZE / 2);
                assertThat(ids(reader.get(pageOfId))).as("the page of the other replica").contains(id);
                assertThat(ids(reader.get("/v1/pets?after=" + (id - 1))).getFirst()).isEqualTo(id);
                assertThat(ids(reader.get("/v1/pets?status=sold&after=" + (id - 1))).getFirst()).isEqualTo(id);
            }
            return client;
        });
    }

    @Test
    void createsOneFirstKeyIfReplicasStartTogether() {
        String empty = PostgresServer.newDatabase();
        try (PetstoreProcess first = PetstoreProcess.serveDatabase(Map.of(), empty);
                PetstoreProcess second = PetstoreProcess.serveDatabase(Map.of(), empty)) {
            List<PetstoreProcess> both = List.of(first.awaitReady(), second.awaitReady());
            assertThat(both).filteredOn(replica -> replica.firstKey().isPresent()).hasSize(1);
            await("the log line of the other replica").untilAsserted(
                    () -> assertThat(both).filteredOn(replica -> replica.err().stream()
                            .anyMatch(line -> line.contains("the store has API keys, so no first key was created; ")))
                            .hasSize(1).allMatch(replica -> replica.firstKey().isEmpty()));
            assertThat(PostgresServer.query(empty, "SELECT name FROM api_key")).containsExactly("first");
        }
    }

    private static Ending keys(String... words) {
        return CommandLines.ending(Map.of("PETSTORE_DATABASE", database),
                Stream.concat(Stream.of("keys"), Stream.of(words)).toArray(String[]::new));
    }

    /// The keys in memory are too old by then.
    @Test
    void refusesRevokedKeyWithinTwoSecondsIfKeysCannotBeRead()
            throws SQLException, InterruptedException, ExecutionException {
        String key = keys("create", "--name", "locked").out().getFirst();
        assertStatuses(key, 200);
        try (Connection revoking = PostgresServer.connect(database);
                Connection locking = PostgresServer.connect(database);
                ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            revoking.setAutoCommit(false);
            locking.setAutoCommit(false);
            PostgresServer.query(revoking, "UPDATE api_key SET revoked_ms = 1 WHERE name = 'locked' RETURNING id");
            Future<?> locked = thread.submit(() -> PostgresServer.query(locking,
                    "LOCK TABLE api_key_change IN ACCESS EXCLUSIVE MODE"));
            await().until(() -> !PostgresServer.waitingForLocks(database).isEmpty());
            revoking.commit();
            locked.get();
            await().pollDelay(REVOCATION_DELAY).until(() -> true);
            assertStatuses(key, 503);
            assertStatuses(KEY, 200);
            locking.rollback();
        }
        assertStatuses(key, 401);
    }

    private static void assertStatuses(String key, int status) {
        for (PetstoreProcess replica : REPLICAS) {
            assertThat(replica.client(key).get("/v1/pets").statusCode()).isEqualTo(status);
        }
    }

    @Test
    void addsOneAnimalPerIdempotencyKey() throws InterruptedException, ExecutionException {
        for (int i = 0; i < RETRIED_REQUESTS; i++) {
            String key = "retried-" + i;
            String pet = pet(key);
            List<HttpResponse<String>> responses = runConcurrently(2,
                    number -> clientOf(number).post(pet, "Idempotency-Key", key));
            responses.add(clientOf(i).post(pet, "Idempotency-Key", key));
            responses.add(clientOf(i + 1).post(pet, "Idempotency-Key", key));
            long id = id(responses.getFirst());
            assertThat(responses).allSatisfy(response -> assertThat(id(response)).isEqualTo(id));
            assertThat(responses).filteredOn(response -> response.headers().firstValue("Idempotent-Replayed").isEmpty())
                    .as("responses that are not replayed").hasSize(1);
        }
        assertThat(Ledger.listAfter(clientOf(0), 0).stream().filter(pet -> pet.name().startsWith("retried-")))
                .hasSize(RETRIED_REQUESTS);
    }

    /// If an id became visible after a greater id, a client that reads page by page would miss it.
    @Test
    void listsEveryAddedAnimalToPagingClient() throws InterruptedException, ExecutionException {
        long start = id(clientOf(0).post(pet("page")));
        Set<Long> acknowledged = new ConcurrentSkipListSet<>();
        List<Long> seen = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> creating = threads.submit(() -> runConcurrently(CLIENTS, client -> {
                for (int i = 0; i < ANIMALS_PER_CLIENT; i++) {
                    acknowledged.add(id(clientOf(client + i).post(pet("page"))));
                }
                return client;
            }));
            boolean last = false;
            while (!last) {
                last = creating.isDone();
                List<Long> page;
                do {
                    long after = seen.isEmpty() ? start : seen.getLast();
                    page = ids(clientOf(1).get("/v1/pets?limit=" + PAGE_SIZE + "&after=" + after));
                    assertThat(page).allMatch(id -> id > after);
                    seen.addAll(page);
                } while (page.size() == PAGE_SIZE);
            }
            creating.get();
        }
        assertThat(acknowledged).hasSize(CLIENTS * ANIMALS_PER_CLIENT);
        assertThat(seen).isSorted().doesNotHaveDuplicates().containsExactlyElementsOf(acknowledged);
    }

    @FunctionalInterface
    private interface Client<T> {
        T run(int number) throws Exception;
    }

    /// Runs clients with the numbers 0, 1, … at the same time. Returns their results.
    private static <T> List<T> runConcurrently(int clients, Client<T> client)
            throws InterruptedException, ExecutionException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<T>> tasks = IntStream.range(0, clients)
                    .<Callable<T>>mapToObj(number -> () -> client.run(number)).toList();
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        }
    }

    /// Returns a client of one of the two replicas.
    private static ApiClient clientOf(int number) {
        return REPLICAS.get(number % 2).client(KEY);
    }

    private static String pet(String name) {
        return "{\"name\":\"" + name + "\",\"categoryId\":7,\"status\":\"sold\"}";
    }

    private static long id(HttpResponse<String> created) {
        assertThat(created.statusCode()).as(() -> created.body() + logs()).isEqualTo(201);
        return ServedContract.json(created.body()).path("id").asLong();
    }

    private static List<Long> ids(HttpResponse<String> list) {
        assertThat(list.statusCode()).as(() -> list.body() + logs()).isEqualTo(200);
        return ServedContract.json(list.body()).valueStream().map(json -> json.path("id").asLong()).toList();
    }

    /// Returns the lines of both logs. They tell why a response is a 503.
    private static List<String> logs() {
        return REPLICAS.stream().flatMap(replica -> replica.err().stream()).toList();
    }
}
