package petstore.blackbox;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.ServedContract;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;

/// Idempotency-Key over HTTP: a repeated request adds only one animal.
@Tag("both-stores")
class IdempotencyTest extends AbstractServiceTest {

    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":7,\"status\":\"sold\"}";

    @Test
    void returnsSameResponseToRetry() {
        HttpResponse<String> first = post(PET, "a-1");
        HttpResponse<String> second = post(PET, "a-1");
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(second.statusCode()).isEqualTo(first.statusCode()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
        assertThat(second.headers().allValues("Idempotent-Replayed")).containsExactly("true");
        assertAnimals(1);
    }

    @Test
    void recognisesEquivalentRequestAsRetry() {
        post(PET, "k");
        for (String spelling : List.of(" { \"status\" : \"sold\",\n\"categoryId\":7.0, \"name\":\"R\\u0065x\" } ",
                "{\"id\":9,\"name\":\"Rex\",\"categoryId\":7e0,\"status\":\"sold\",\"extra\":[1]}")) {
            assertThat(post(spelling, "k").headers().firstValue("Idempotent-Replayed")).contains("true");
        }
        for (String key : List.of("\"k\"", " k ")) {
            assertThat(post(PET, key).headers().firstValue("Idempotent-Replayed")).contains("true");
        }
        assertAnimals(1);
    }

    @Test
    void refusesKeyReusedForDifferentRequest() {
        post(PET, "k");
        for (String other : List.of(PET.replace("Rex", "rex"), PET.replace("7", "8"), PET.replace("sold", "pending"),
                "{\"name\":\"Rex\",\"categoryId\":7}")) {
            HttpResponse<String> response = post(other, "k");
            assertThat(response.statusCode()).isEqualTo(422);
            assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo("idempotency_key_reused");
        }
        assertAnimals(1);
    }

    @Test
    void executesRetryAfterFailure() {
        assertThat(post("{\"name\":\"\",\"categoryId\":7}", "k").statusCode()).isEqualTo(400);
        assertThat(post(PET, "k").statusCode()).isEqualTo(201);
        assertAnimals(1);
    }

    @Test
    void acceptsKeysOf1To255VisibleCharacters() {
        for (String key : List.of("x", "!~", "a".repeat(255), "a,b")) {
            assertThat(post(PET, key).statusCode()).as(key).isEqualTo(201);
        }
        for (String key : List.of("", "a".repeat(256), "a b")) {
            HttpResponse<String> response = post(PET, key);
            assertThat(response.statusCode()).as(key).isEqualTo(400);
            assertThat(response.body()).contains("Idempotency-Key").doesNotContain(";");
            assertThat(post("{}", key).body()).as(key)
                    .contains("Idempotency-Key", "; name is required; categoryId is required");
        }
        assertThat(client.post(PET, "Idempotency-Key", "a", "Idempotency-Key", "a").statusCode()).isEqualTo(400);
        assertAnimals(4);
    }

    @Test
    void sharesResultsAmongRotatedApiKeys() {
        String key = CommandLines.run(folder, "keys", "create", "--name", "checkout");
        ApiClient original = client.withKey(key);
        HttpResponse<String> first = original.post(PET, "Idempotency-Key", "k");
        String rotated = CommandLines.run(folder, "keys", "rotate", key.substring(5, 15), "--grace", "1h");
        assertThat(rotated).isNotEqualTo(key);
        assertThat(client.withKey(rotated).post(PET, "Idempotency-Key", "k").body()).isEqualTo(first.body());
        assertThat(post(PET, "k").body()).as("API key of another owner").isNotEqualTo(first.body());
    }

    @Test
    void checksApiKeyBeforeLookingUpResult() {
        post(PET, "k");
        assertThat(client.withKey("").post(PET, "Idempotency-Key", "k").statusCode()).isEqualTo(401);
        String reader = CommandLines.run(folder, "keys", "create", "--name", "reader", "--scope", "pets:read");
        TestStore.execute(folder, "UPDATE api_key SET name = 'PETSTORE_API_KEY'");
        assertThat(client.withKey(reader).post(PET, "Idempotency-Key", "k").statusCode()).isEqualTo(403);
    }

    private void age(Duration time) {
        TestStore.execute(folder, "UPDATE idempotency SET received_ms = received_ms - " + time.toMillis());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"})
    void keepsResultsByClockOfDatabase(String wrongTime) {
        HttpResponse<String> first = post(PET, "k");
        clock.set(wrongTime);
        HttpResponse<String> other = post(PET, "other");
        assertThat(post(PET, "k").body()).isEqualTo(first.body());
        age(Duration.ofHours(23));
        assertThat(post(PET, "other").body()).isEqualTo(other.body());
        assertAnimals(2);
        age(Duration.ofHours(1));
        assertThat(post(PET, "k").body()).isNotEqualTo(first.body());
    }

    /// The rows between the ids stand for other results.
    @Test
    void countsResultsDroppedBeyondLast10Million() {
        post(PET, "expired");
        age(Duration.ofHours(24));
        HttpResponse<String> dropped = post(PET, "dropped");
        HttpResponse<String> kept = post(PET, "kept");
        assertThat(service.metric("petstore_dropped_results_total")).isZero();
        TestStore.execute(folder, "UPDATE idempotency SET id = id + 10000000 WHERE idempotency_key = 'kept'");
        post(PET, "new");
        assertThat(service.metric("petstore_dropped_results_total")).isEqualTo(1);
        assertThat(post(PET, "kept").body()).isEqualTo(kept.body());
        assertThat(post(PET, "dropped").body()).isNotEqualTo(dropped.body());
    }

    private HttpResponse<String> post(String body, String key) {
        return client.post(body, "Idempotency-Key", key);
    }

    private void assertAnimals(int count) {
        assertThat(ServedContract.json(client.get("/v1/pets").body())).hasSize(count);
    }
}
