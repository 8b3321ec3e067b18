package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestClock;
import petstore.testkit.TestService;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Coverage of the contract: each documented pair of operation and status code occurs. `ApiClient` validates each response.
class ContractCoverageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    private final Set<String> observed = new TreeSet<>();
    private final TestClock clock = new TestClock("2026-11-21T10:00:00Z");
    @TempDir
    private Path folder;

    @Test
    void returnsEveryDocumentedStatus() throws IOException, SQLException {
        try (TestService service = TestService.start(folder, clock, UnaryOperator.identity())) {
            callWithIdempotencyKey(service.client());
            callWithRateLimitedKey(service.client());
            callWithUnknownExpectation(service.port());
            callWithHealthyStore(service.client());
            callWithBrokenStore(service.client());
        }
        assertThat(observed).isEqualTo(documented());
    }

    private void callWithHealthyStore(ApiClient client) {
        create(client, PET);
        create(client, PET);
        create(client, "{}");
        create(client, "x".repeat(70_000));
        observe("createPet", client.send("POST", "/v1/pets", PET.getBytes(UTF_8)).statusCode());
        list(client, "");
        list(client, "?limit=0");
        get(client, "1");
        get(client, "999");
        observe("listPets", client.get("/v1/pets", "If-None-Match", "*").statusCode());
        observe("getPet", client.get("/v1/pets/1", "If-None-Match", "*").statusCode());
        observe("listPets", client.get("/v1/pets", "If-Match", "\"a\"").statusCode());
        observe("getPet", client.get("/v1/pets/1", "If-Match", "\"a\"").statusCode());
        observe("createPet", client.post(PET, "If-Match", "\"a\"").statusCode());
        clock.set("2030-12-06T00:00:00Z");
        get(client, "1");
        clock.set("2026-11-21T10:00:00Z");
        ApiClient withoutKey = client.withKey("");
        create(withoutKey, PET);
        list(withoutKey, "");
        get(withoutKey, "1");
        ApiClient reader = client.withKey(CommandLines.run(folder, "keys", "create", "--name=r", "--scope=pets:read"));
        ApiClient writer = client.withKey(CommandLines.run(folder, "keys", "create", "--name=w", "--scope=pets:write"));
        create(reader, PET);
        list(writer, "");
        get(writer, "1");
    }

    /// While the test holds the write lock of the store, one request is in progress and the other is refused.
    private void callWithIdempotencyKey(ApiClient client) throws SQLException {
        String[] key = {"Idempotency-Key", "coverage"};
        try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> client.post(PET, key).statusCode(),
                    Thread::startVirtualThread);
            CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> client.post(PET, key).statusCode(),
                    Thread::startVirtualThread);
            CompletableFuture.anyOf(first, second).join();
            statement.execute("COMMIT");
            observe("createPet", first.join());
            observe("createPet", second.join());
        }
        observe("createPet", client.post(PET.replace("Rex", "Max"), key).statusCode());
    }

    /// The client of Java sends no such field.
    private void callWithUnknownExpectation(int port) throws IOException {
        for (String[] operation : new String[][]{{"GET", "/v1/pets", "listPets"}, {"POST", "/v1/pets", "createPet"},
                {"GET", "/v1/pets/1", "getPet"}}) {
            try (RawClient client = new RawClient(port)) {
                RawClient.Response response = client.send(operation[0] + " " + operation[1]
                        + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
                        + "\r\nExpect: 200-ok\r\n\r\n").response().orElseThrow();
                ServedContract.verify(operation[0], operation[1], response.status(), response.headers(),
                        response.body());
                observe(operation[2], response.status());
            }
        }
    }

    private void callWithRateLimitedKey(ApiClient client) {
        ApiClient limited = client
                .withKey(CommandLines.run(folder, "keys", "create", "--name=l", "--rate-limit=1/1h"));
        for (int i = 0; i < 2; i++) {
            create(limited, PET);
            list(limited, "");
            get(limited, "1");
        }
    }

    /// An insert that a trigger refuses and an unknown status count as defects. Without its table, the store is unavailable.
    /// Pages come from memory until the service notices the change by SQL.
    private void callWithBrokenStore(ApiClient client) throws SQLException {
        try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'no'); END");
            statement.execute("PRAGMA ignore_check_constraints = ON");
            statement.execute("UPDATE pet SET status = 'lost'");
            create(client, PET);
            await().atMost(PATIENCE).until(() -> client.get("/v1/pets?limit=2").statusCode() != 200);
            list(client, "?limit=2");
            get(client, "2");
            statement.execute("ALTER TABLE pet RENAME TO lost");
            create(client, PET);
            list(client, "?limit=3");
            get(client, "2");
        }
    }

    private void create(ApiClient client, String body) {
        observe("createPet", client.post(body).statusCode());
    }

    private void list(ApiClient client, String query) {
        observe("listPets", client.get("/v1/pets" + query).statusCode());
    }

    private void get(ApiClient client, String id) {
        observe("getPet", client.get("/v1/pets/" + id).statusCode());
    }

    private void observe(String operation, int status) {
        observed.add(operation + " " + status);
    }

    private static Set<String> documented() {
        Set<String> pairs = new TreeSet<>();
        for (JsonNode path : ServedContract.yaml(ServedContract.openapi()).get("paths")) {
            for (JsonNode operation : path) {
                ServedContract.statuses(operation)
                        .forEach(status -> pairs.add(operation.get("operationId").asText() + " " + status));
            }
        }
        return pairs;
    }
}
