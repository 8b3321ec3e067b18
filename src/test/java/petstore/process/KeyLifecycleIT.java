package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import petstore.testkit.ApiClient;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The life cycle of an API key beside a running server: scope, rotation, use and revocation, with their audit lines.
class KeyLifecycleIT extends AbstractShellTest {

    private static final String AUDIT = "[0-9-]{10}T[0-9:.]{12}Z INFO  audit - ";
    /// The server notices within this time that a command has changed a key.
    private static final Duration CHANGE_LIMIT = Duration.ofSeconds(2);
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    @Test
    void keyIsRotatedUsedAndRevokedAndEveryStepIsLogged() {
        try (PetstoreProcess server = PetstoreProcess
                .serve(Map.of("PETSTORE_API_KEY", "configured-key-of-the-operator"), shell.data()).awaitReady()) {
            String key = runForKey("petstore keys create --name checkout --scope pets:read", "create");
            String id = key.substring(5, 15);
            ApiClient client = server.client(key);
            assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
            assertThat(client.post(PET).statusCode()).isEqualTo(403);

            String rotatedKey = runForKey("petstore keys rotate " + id + " --grace 1h", "rotate");
            assertThat(rotatedKey).isNotEqualTo(key).contains(id);
            assertThat(client.withKey(rotatedKey).get("/v1/pets").statusCode()).as("new secret works at once")
                    .isEqualTo(200);
            assertThat(client.get("/v1/pets").statusCode()).as("old secret works in the grace period").isEqualTo(200);

            String latestKey = runForKey("petstore keys rotate " + id, "rotate");
            assertThat(client.withKey(latestKey).get("/v1/pets").statusCode()).as("new secret works at once")
                    .isEqualTo(200);
            assertThat(client.withKey(rotatedKey).awaitRefusal(CHANGE_LIMIT).statusCode()).isEqualTo(401);
            assertThat(client.get("/v1/pets").statusCode()).as("secret from two rotations ago").isEqualTo(401);

            Ending revoked = shell.run("petstore keys revoke " + id);
            assertThat(revoked.code()).isZero();
            assertThat(revoked.err()).filteredOn(line -> line.matches(audit("revoke", id))).hasSize(1);
            assertThat(client.withKey(latestKey).awaitRefusal(CHANGE_LIMIT).statusCode()).isEqualTo(401);
            Ending again = shell.petstore("keys rotate " + id);
            assertThat(again).isEqualTo(new Ending(1, List.of(), List.of(
                    "petstore: the key " + id + " is revoked or has expired; create a new one")));

            assertThat(server.err()).anyMatch(line -> line.matches(
                    AUDIT + "refused 403 POST /v1/pets key=" + id + " from=127\\.0\\.0\\.1 request=.+"));
            assertThat(server.err()).anyMatch(line -> line.matches(
                    AUDIT + "refused 401 GET /v1/pets key=(-|" + id + ") from=127\\.0\\.0\\.1 request=.+"));
            server.terminate();
            assertThat(String.join("\n", server.ending().err())).doesNotContain(key.substring(15),
                    rotatedKey.substring(15), latestKey.substring(15));
        }
    }

    @Test
    void listShowsEveryFieldButNoSecret() {
        String key;
        Instant before = Instant.now().minusSeconds(60);
        try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
            key = runForKey("petstore keys create --name 'till (1)' --expires-at 2099-01-31", "create");
            assertThat(server.client(key).get("/v1/pets").statusCode()).isEqualTo(200);
            awaitUse(shell.data(), key.substring(5, 15));
            assertThat(server.client(server.firstKey().orElseThrow()).get("/v1/pets").statusCode()).isEqualTo(200);
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
        runForKey("petstore keys create --name other --expires-in 1d"
                + " --rate-limit 10000/30d", "create");
        Ending list = shell.petstore("keys list --format json");
        assertThat(list.code()).isZero();
        assertThat(list.err()).isEmpty();
        assertThat(String.join("", list.out())).doesNotContain(key.substring(15));
        JsonNode shown = ServedContract.json(String.join("\n", list.out()));
        assertThat(shown).hasSize(3);
        assertThat(shown.get(0).path("lastUsed").isTextual()).as("use just before the server stops is recorded")
                .isTrue();
        JsonNode till = shown.get(1);
        assertThat(till.propertyStream().map(Map.Entry::getKey)).contains("id", "name", "scopes", "created", "expires",
                "lastUsed", "rateLimit");
        assertThat(till.path("name").asText()).isEqualTo("till (1)");
        assertThat(till.path("expires").asText()).isEqualTo("2099-01-31T00:00:00Z");
        assertThat(Instant.parse(till.path("lastUsed").asText())).isBetween(before, Instant.now());
        assertThat(till.path("rateLimit").isNull()).isTrue();
        assertThat(Instant.parse(shown.get(2).path("expires").asText())).isBetween(tomorrow, Instant.now().plus(
                Duration.ofDays(1)));
        assertThat(shown.get(2).path("rateLimit").asText()).isEqualTo("10000/2592000s");
        List<String> table = shell.petstore("keys list").out();
        assertThat(table).hasSize(4);
        assertThat(table.getFirst()).matches("ID +NAME +SCOPES +CREATED +STATE +LAST USED +RATE LIMIT");
        assertThat(table.getLast()).endsWith(" 10000/30d");
    }

    /// Runs a command that prints only a key to stdout, and an audit line without its secret to stderr. Returns the key.
    private String runForKey(String command, String action) {
        Ending ending = shell.run(command);
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).hasSize(1);
        String key = ending.out().getFirst();
        assertThat(ending.err()).filteredOn(line -> line.matches(audit(action, key.substring(5, 15)))).hasSize(1);
        assertThat(String.join("\n", ending.err())).doesNotContain(key.substring(15));
        return key;
    }

    private static String audit(String action, String id) {
        return AUDIT + "key " + action + " id=" + id + " name=\".*\" by=.+";
    }

    /// Waits until the store has a record of the key's use.
    private static void awaitUse(Path data, String id) {
        try (StoreFile file = new StoreFile(data)) {
            await().atMost(Duration.ofSeconds(10)).until(
                    () -> !file.text("SELECT count(last_used_ms) FROM api_key WHERE id = '" + id + "'").contains("0"));
        }
    }
}
