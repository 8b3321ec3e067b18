package petstore.blackbox;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.ServedContract;
import petstore.testkit.TestClock;
import petstore.testkit.TestService;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// Every operation × status pair that the contract documents is reached, and validated on the way.
class ContractCoverageTest {

    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    private final Set<String> reached = new TreeSet<>();
    private final TestClock clock = new TestClock("2026-11-21T10:00:00Z");
    @TempDir
    private Path folder;

    @Test
    void everyDocumentedAnswerIsReached() throws SQLException {
        try (TestService service = TestService.start(folder, clock, UnaryOperator.identity())) {
            reachWhatAnIdempotencyKeyAnswers(service.client());
            reachWhatALimitedKeyIsAnswered(service.client());
            reachWhatAHealthyStoreAnswers(service.client());
            reachWhatABrokenStoreAnswers(service.client());
        }
        assertThat(reached).isEqualTo(documented());
    }

    private void reachWhatAHealthyStoreAnswers(ApiClient client) {
        create(client, PET);
        create(client, PET);
        create(client, "{}");
        create(client, "x".repeat(70_000));
        reach("createPet", client.send("POST", "/v1/pets", PET.getBytes(UTF_8)).statusCode());
        list(client, "");
        list(client, "?limit=0");
        get(client, "1");
        get(client, "999");
        reach("listPets", client.get("/v1/pets", "If-None-Match", "*").statusCode());
        reach("getPet", client.get("/v1/pets/1", "If-None-Match", "*").statusCode());
        reach("listPets", client.get("/v1/pets", "If-Match", "\"a\"").statusCode());
        reach("getPet", client.get("/v1/pets/1", "If-Match", "\"a\"").statusCode());
        clock.set("2030-12-06T00:00:00Z");
        get(client, "1");
        clock.set("2026-11-21T10:00:00Z");
        ApiClient stranger = client.withKey("");
        create(stranger, PET);
        list(stranger, "");
        get(stranger, "1");
        ApiClient reader = client.withKey(CommandLines.run(folder, "keys", "create", "--name=r", "--scope=pets:read"));
        ApiClient writer = client.withKey(CommandLines.run(folder, "keys", "create", "--name=w", "--scope=pets:write"));
        create(reader, PET);
        list(writer, "");
        get(writer, "1");
    }

    /// A held lock of the store keeps a request in progress.
    private void reachWhatAnIdempotencyKeyAnswers(ApiClient client) throws SQLException {
        String[] key = {"Idempotency-Key", "coverage"};
        try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            CompletableFuture<Integer> one = CompletableFuture.supplyAsync(() -> client.post(PET, key).statusCode());
            CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> client.post(PET, key).statusCode());
            CompletableFuture.anyOf(one, other).join();
            statement.execute("COMMIT");
            reach("createPet", one.join());
            reach("createPet", other.join());
        }
        reach("createPet", client.post(PET.replace("Rex", "Max"), key).statusCode());
    }

    private void reachWhatALimitedKeyIsAnswered(ApiClient client) {
        ApiClient limited = client
                .withKey(CommandLines.run(folder, "keys", "create", "--name=l", "--rate-limit=1/1h"));
        for (int i = 0; i < 2; i++) {
            create(limited, PET);
            list(limited, "");
            get(limited, "1");
        }
    }

    /// A trigger that refuses every animal and a status that no version knows are defects; a table that is not there is a
    /// store that is not there. Earlier requests would be answered from memory.
    private void reachWhatABrokenStoreAnswers(ApiClient client) throws SQLException {
        try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'no'); END");
            statement.execute("PRAGMA ignore_check_constraints = ON");
            statement.execute("UPDATE pet SET status = 'lost'");
            create(client, PET);
            list(client, "?limit=2");
            get(client, "2");
            statement.execute("ALTER TABLE pet RENAME TO lost");
            create(client, PET);
            list(client, "?limit=3");
            get(client, "2");
        }
    }

    private void create(ApiClient client, String body) {
        reach("createPet", client.post(body).statusCode());
    }

    private void list(ApiClient client, String query) {
        reach("listPets", client.get("/v1/pets" + query).statusCode());
    }

    private void get(ApiClient client, String id) {
        reach("getPet", client.get("/v1/pets/" + id).statusCode());
    }

    private void reach(String operation, int status) {
        reached.add(operation + " " + status);
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
