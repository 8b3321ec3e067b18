package petstore.http;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.RateLimit;
import petstore.http.message.HeaderFields;
import petstore.testkit.TestApi;
import petstore.testkit.TestApi.Reply;
import petstore.testkit.TestClock;
import petstore.testkit.TestHeaders;
import petstore.testkit.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;

/// The whole API without a socket, over a real store.
@Tag("both-stores")
class ApiTest {

    private static final String REX = "{\"name\":\"Rex\",\"categoryId\":7,\"status\":\"available\"}";

    @TempDir
    private Path folder;
    private TestApi api;

    @BeforeEach
    void start() {
        api = start("with", Clock.systemUTC(), UnaryOperator.identity());
    }

    private TestApi start(String name, Clock clock, UnaryOperator<TestSettings> change) {
        return TestApi.start(folder.resolve(name), clock, change);
    }

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void addsListsAndReturnsAnimals() {
        Reply created = api.post("/v1/pets", REX);
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).contains("/v1/pets/1");
        String pet = "{\"id\":1,\"name\":\"Rex\",\"categoryId\":7,\"status\":\"available\"}";
        assertThat(created.body()).isEqualTo(pet);
        assertThat(api.get("/v1/pets").body()).isEqualTo("[" + pet + "]");
        assertThat(api.get("/v1/pets?status=sold").body()).isEqualTo("[]");
        Reply fetched = api.get("/v1/pets/1");
        assertThat(fetched.body()).isEqualTo(pet);
        assertThat(fetched.header("Deprecation")).isPresent();
    }

    @Test
    void linksToTheNextPage() {
        for (int i = 0; i < 3; i++) {
            api.post("/v1/pets", REX);
        }
        assertThat(api.get("/v1/pets?limit=2").header("Link"))
                .contains("</v1/pets?limit=2&after=2>; rel=\"next\"");
        assertThat(api.get("/v1/pets?limit=2&after=2").header("Link")).isEmpty();
    }

    /// The error is not about the body, although it is invalid: the body is not read.
    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer unknown-key", "Basic dTpw"})
    void returns401WithoutValidKey(String authorization) {
        TestHeaders headers = authorization.isEmpty()
                ? new TestHeaders()
                : new TestHeaders().add("Authorization", authorization);
        for (String target : new String[]{"/v1/pets", "/v1/pets/1", "/v1/nothing"}) {
            Reply refused = api.send("POST", target, headers, "{");
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.body()).contains("\"code\":\"unauthorized\"");
            assertThat(refused.header("WWW-Authenticate")).isPresent();
        }
    }

    @Test
    void reportsAllViolationsAtOnce() {
        assertThat(api.get("/v1/pets?limit=0&status=lost&after=x").body()).contains("\"status\":400", "limit must",
                "status must", "after must");
        assertThat(api.post("/v1/pets", "{\"name\":\" \",\"categoryId\":\"x\",\"status\":\"lost\"}",
                "Idempotency-Key", "\"").body())
                .contains("\"status\":400", "Idempotency-Key must", "name must", "categoryId must", "status must");
    }

    @ParameterizedTest
    @CsvSource({"GET, /v1/pets/5, 404, not_found", "GET, /v1/pets/x, 404, not_found",
            "GET, /v1/nothing, 404, not_found",
            "GET, /nothing, 404, not_found", "PUT, /v1/pets, 405, method_not_allowed",
            "DELETE, /v1/pets/1, 405, method_not_allowed", "get, /v1/pets, 405, method_not_allowed"})
    void refusesUnknownTargetsAndMethods(String method, String target, int status, String code) {
        Reply refused = api.send(method, target, TestApi.withKey(), "");
        assertThat(refused.status()).isEqualTo(status);
        assertThat(refused.body()).contains("\"code\":\"" + code + "\"");
        assertThat(refused.header("Allow").isPresent()).isEqualTo(status == 405);
    }

    @ParameterizedTest
    @CsvSource({"text/plain, must be application/json", "application/json; charset=utf-16, charset",
            "'', must be application/json"})
    void refusesUnsupportedMediaTypes(String type, String message) {
        Reply refused = api.send("POST", "/v1/pets", TestApi.withKey().add("Content-Type", type), REX);
        assertThat(refused.status()).isEqualTo(415);
        assertThat(refused.body()).contains("unsupported_media_type", message);
        assertThat(api.get("/v1/pets").body()).isEqualTo("[]");
    }

    @Test
    void returns410ForGetPetAfterSunset() {
        try (TestApi later = start("later", new TestClock("2030-12-06T00:00:00Z"), UnaryOperator.identity())) {
            assertThat(later.get("/v1/pets/1").status()).isEqualTo(410);
            assertThat(later.get("/v1/pets").status()).isEqualTo(200);
        }
    }

    @Test
    void limitsRateOfKey() {
        try (TestApi limited = start("limited", new TestClock("2026-11-21T10:00:00Z"),
                settings -> settings.rateLimit(new RateLimit(1, Duration.ofMinutes(1))))) {
            assertThat(limited.get("/v1/pets").header("RateLimit").orElseThrow()).startsWith("\"default\";r=0;t=");
            Reply refused = limited.post("/v1/pets", REX);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(Integer.parseInt(refused.header("Retry-After").orElseThrow())).isBetween(1, 60);
            assertThat(refused.header("RateLimit-Policy")).contains("\"default\";q=1;w=60");
        }
    }

    /// A defect in the check of the key.
    @ParameterizedTest
    @MethodSource
    void returns500AfterDefectBeforeOperation(Supplier<Boolean> defect) {
        HeaderFields broken = new HeaderFields() {
            @Override
            public List<String> all(String name) {
                assertThat(defect.get()).isNull();
                return List.of();
            }

            @Override
            public @Nullable String first(String name) {
                return null;
            }
        };
        Reply response = api.send("GET", "/v1/pets", broken, "");
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.body()).contains("internal error; see request of-the-test in the log");
    }

    static List<Supplier<Boolean>> returns500AfterDefectBeforeOperation() {
        return List.of(() -> {
            throw new StackOverflowError();
        }, () -> {
            throw new IllegalStateException("secret");
        });
    }

    @Test
    void returns503WithoutStore() {
        api.closeStore();
        for (Reply refused : new Reply[]{api.post("/v1/pets", REX), api.get("/v1/pets?after=7"),
                api.get("/v1/pets/1"), api.get("/readyz")}) {
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).contains("1");
        }
        assertThat(api.get("/livez").status()).isEqualTo(200);
    }

    @Test
    void evaluatesPreconditions() {
        api.post("/v1/pets", REX);
        String tag = api.get("/v1/pets").header("ETag").orElseThrow();
        Reply unchanged = api.get("/v1/pets", "If-None-Match", tag);
        assertThat(unchanged.status()).isEqualTo(304);
        assertThat(unchanged.body()).isEmpty();
        assertThat(unchanged.header("ETag")).contains(tag);
        assertThat(api.get("/v1/pets", "If-Match", tag).status()).isEqualTo(200);
        assertThat(api.get("/v1/pets", "If-Match", "\"other\"").status()).isEqualTo(412);
        api.post("/v1/pets", REX);
        assertThat(api.get("/v1/pets", "If-None-Match", tag).status()).isEqualTo(200);
    }

    @Test
    void replaysResponseForRepeatedIdempotencyKey() {
        Reply first = api.post("/v1/pets", REX, "Idempotency-Key", "once");
        Reply second = api.post("/v1/pets", REX, "Idempotency-Key", "once");
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(first.header("Idempotent-Replayed")).isEmpty();
        assertThat(second.header("Idempotent-Replayed")).contains("true");
        assertThat(api.post("/v1/pets", REX.replace("Rex", "Max"), "Idempotency-Key", "once").status())
                .isEqualTo(422);
    }

    @Test
    void allowsConfiguredCorsOriginsOnly() {
        try (TestApi open = start("open", Clock.systemUTC(),
                settings -> settings.corsOrigins("https://shop.example"))) {
            TestHeaders preflight = new TestHeaders().add("Origin", "https://shop.example")
                    .add("Access-Control-Request-Method", "POST");
            assertThat(open.send("OPTIONS", "/v1/pets", preflight, "").status()).isEqualTo(204);
            assertThat(open.get("/v1/pets", "Origin", "https://shop.example").header("Access-Control-Allow-Origin"))
                    .contains("https://shop.example");
            assertThat(open.get("/v1/pets", "Origin", "https://other.example").header("Access-Control-Allow-Origin"))
                    .isEmpty();
        }
    }

    @Test
    void servesDocumentationWithoutKey() {
        assertThat(api.send("GET", "/openapi.yaml", new TestHeaders(), "").body()).startsWith("openapi:");
        assertThat(api.send("GET", "/docs", new TestHeaders(), "").header("content-type"))
                .contains("text/html; charset=utf-8");
        assertThat(api.send("GET", "/", new TestHeaders(), "").body()).contains("\"docs\":\"docs\"");
        assertThat(api.send("GET", "/", new TestHeaders().add("Accept", "text/html"), "").body())
                .startsWith("<!DOCTYPE html>");
    }
}
