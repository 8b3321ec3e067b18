package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.RateLimit;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;
import petstore.testkit.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;

/// Rate limits of API keys.
class RateLimitTest extends AbstractServiceTest {

    @Override
    TestSettings change(TestSettings settings) {
        return settings.rateLimit(new RateLimit(3, Duration.ofMinutes(1)));
    }

    @Test
    void reportsRemainingRequestsInEveryResponse() {
        assertRateLimit(client.get("/v1/pets"), 200, 2, 20);
        assertRateLimit(client.get("/v1/nothing"), 404, 1, 40);
        assertRateLimit(client.post("{}"), 400, 0, 60);
        HttpResponse<String> refused = client.get("/v1/pets/1");
        assertRateLimit(refused, 429, 0, 60);
        assertThat(Integer.parseInt(refused.headers().firstValue("Retry-After").orElseThrow())).isBetween(1, 20);
        assertThat(refused.headers().firstValue("Deprecation")).isPresent();
        assertThat(ServedContract.json(refused.body()).get("code").asText()).isEqualTo("rate_limited");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-11-21T08:00:00Z", "2026-11-21T12:00:00Z"})
    void clockThatIsSetDoesNotRefillBucket(String changed) {
        spendTokens(client, 3);
        clock.set(changed);
        assertThat(client.get("/v1/pets").statusCode()).isEqualTo(429);
    }

    @Test
    void limitsEachKeySeparatelyAndAddsNothingBeyondLimit() {
        spendTokens(client, 3);
        assertThat(client.post("{\"name\":\"Rex\",\"categoryId\":1}").statusCode()).isEqualTo(429);
        ApiClient other = client.withKey(CommandLines.run(folder, "keys", "create", "--name", "other"));
        assertThat(other.get("/v1/pets").body()).isEqualTo("[]");
        spendTokens(other, 2);
        assertThat(other.get("/v1/pets").statusCode()).isEqualTo(429);
    }

    @Test
    void appliesRateLimitOfKeyInsteadOfDefault() {
        ApiClient vip = client
                .withKey(CommandLines.run(folder, "keys", "create", "--name", "vip", "--rate-limit", "5/10s"));
        HttpResponse<String> first = vip.get("/v1/pets");
        assertThat(first.headers().allValues("RateLimit-Policy")).containsExactly("\"default\";q=5;w=10");
        spendTokens(vip, 4);
        assertThat(vip.get("/v1/pets").statusCode()).isEqualTo(429);
    }

    @Test
    void doesNotCountUnauthenticatedOrHealthRequests() {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> unauthorized = client.withKey("").get("/v1/pets");
            assertThat(unauthorized.statusCode()).isEqualTo(401);
            assertThat(unauthorized.headers().firstValue("RateLimit")).isEmpty();
            assertThat(client.get("/readyz").statusCode()).isEqualTo(200);
        }
        spendTokens(client, 3);
    }

    @Test
    void appliesNoLimitByDefault(@TempDir Path other) {
        try (TestService unlimited = TestService.start(other)) {
            HttpResponse<String> response = unlimited.client().get("/v1/pets");
            assertThat(response.headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
        }
    }

    private static void spendTokens(ApiClient client, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
        }
    }

    /// @param reset the greatest number of seconds: time has passed since the first request
    private static void assertRateLimit(HttpResponse<String> response, int status, int remaining, int reset) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("RateLimit-Policy")).contains("\"default\";q=3;w=60");
        String limit = response.headers().firstValue("RateLimit").orElseThrow();
        String beginning = "\"default\";r=" + remaining + ";t=";
        assertThat(limit).startsWith(beginning);
        assertThat(Integer.parseInt(limit.substring(beginning.length()))).isBetween(1, reset);
    }
}
