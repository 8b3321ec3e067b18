package petstore.blackbox;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.ApiKey.SecretHash;
import petstore.KeyToken;
import petstore.Scope;
import petstore.store.SqlStore;
import petstore.testkit.ApiClient;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;
import petstore.testkit.TestStore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Authentication by API keys as bearer tokens: accepted and refused keys, and their scopes.
@Tag("both-stores")
class AuthenticationTest extends AbstractServiceTest {

    private static final Duration REVOCATION_LIMIT = Duration.ofSeconds(2);
    private static final Duration MOMENT = Duration.ofMillis(700);
    /// The service estimates the time from its last read.
    private static final Duration ESTIMATE = Duration.ofMillis(500);
    private static final String CHALLENGE = "Bearer realm=\"petstore\"";
    private static final String INVALID_KEY_CHALLENGE = CHALLENGE + ", error=\"invalid_token\"";

    @AutoClose
    private SqlStore otherProcess;

    @BeforeEach
    void openStore() {
        otherProcess = TestStore.open(folder);
    }

    @Test
    void checksKeyBeforeAnythingElseUnderV1() {
        ApiClient withoutKey = service.client().withKey("");
        Set<String> bodies = new HashSet<>();
        for (String method : List.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")) {
            for (String path : List.of("/v1", "/v1/", "/v1/pets", "/v1/pets?limit=0", "/v1/pets/1", "/v1/pets/x",
                    "/v1/nothing")) {
                HttpResponse<String> response = withoutKey.send(method, path, "{".repeat(70_000).getBytes(UTF_8));
                assertThat(response.statusCode()).as("%s %s", method, path).isEqualTo(401);
                assertThat(response.headers().allValues("WWW-Authenticate")).containsExactly(CHALLENGE);
                bodies.add(response.body());
            }
        }
        HttpResponse<String> wrongKey = service.client().withKey("wrong").get("/v1/pets");
        assertThat(wrongKey.headers().allValues("WWW-Authenticate")).containsExactly(INVALID_KEY_CHALLENGE);
        bodies.add(wrongKey.body());
        assertThat(bodies).hasSize(1);
    }

    /// The key was accepted for the head of the request.
    @Test
    void refusesKeyThatIsRevokedBeforeBodyEnds() throws IOException {
        KeyToken token = issue(EnumSet.allOf(Scope.class), Optional.empty());
        ApiClient client = service.client().withKey(token.text());
        String pet = "{\"name\":\"Rex\",\"categoryId\":1}";
        try (RawClient slow = new RawClient(service.port()); RawClient valid = new RawClient(service.port())) {
            slow.send(headOfCreate(token.text(), pet) + pet.substring(1, pet.length() - 1));
            valid.send(headOfCreate(TestService.KEY, pet) + pet.substring(1, pet.length() - 1));
            assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
            assertThat(otherProcess.keys().revoke(token.id(), clock.instant())).isPresent();
            await("the revoked key is refused").atMost(REVOCATION_LIMIT)
                    .until(() -> client.get("/v1/pets").statusCode() != 200);
            RawClient.Response refused = slow.send("}").response().orElseThrow();
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.headers().get("www-authenticate")).containsExactly(INVALID_KEY_CHALLENGE);
            assertThat(valid.send("}").response().orElseThrow().status()).isEqualTo(201);
        }
        assertThat(service.client().get("/v1/pets").body()).doesNotContain("\"id\":2");
    }

    /// Returns the head of a request whose body lacks its last byte.
    private static String headOfCreate(String key, String body) {
        return "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n{";
    }

    @Test
    void acceptsKeyUntilItExpiresByClockOfDatabase() {
        Instant now = otherProcess.keys().now();
        KeyToken hour = issue(EnumSet.allOf(Scope.class), Optional.of(now.plusSeconds(3_600)));
        KeyToken moment = issue(EnumSet.allOf(Scope.class), Optional.of(now.plus(MOMENT)));
        for (String wrong : List.of("2000-01-01T00:00:00Z", "2099-01-01T00:00:00Z")) {
            clock.set(wrong);
            assertThat(service.client().withKey(hour.text()).get("/v1/pets").statusCode()).isEqualTo(200);
            await("the key has expired").atMost(MOMENT.plus(REVOCATION_LIMIT))
                    .until(() -> service.client().withKey(moment.text()).get("/v1/pets").statusCode() != 200);
            assertThat(otherProcess.keys().now()).isAfterOrEqualTo(now.plus(MOMENT).minus(ESTIMATE));
            assertRefused(moment);
        }
    }

    @Test
    void acceptsReplacedSecretAndRecordsUseByClockOfDatabase() {
        Instant now = otherProcess.keys().now();
        KeyToken hour = issue(EnumSet.allOf(Scope.class), Optional.empty());
        KeyToken over = issue(EnumSet.allOf(Scope.class), Optional.empty());
        otherProcess.keys().rotate(hour.id(), SecretHash.of("fresh"), Optional.of(now.plusSeconds(3_600)));
        otherProcess.keys().rotate(over.id(), SecretHash.of("fresh"), Optional.of(now));
        clock.set("2099-01-01T00:00:00Z");
        assertThat(service.client().withKey(hour.text()).get("/v1/pets").statusCode()).isEqualTo(200);
        clock.set("2000-01-01T00:00:00Z");
        assertRefused(over);
        await("the use is saved").atMost(REVOCATION_LIMIT).untilAsserted(() -> assertThat(
                otherProcess.keys().find(hour.id()).flatMap(ApiKey::lastUsed))
                .hasValueSatisfying(used -> assertThat(used)
                        .isBetween(now.minus(ESTIMATE), otherProcess.keys().now().plus(ESTIMATE))));
    }

    @Test
    void allowsOnlyOperationsWithinScopes() {
        ApiClient reader = service.client().withKey(issue(Set.of(Scope.READ), Optional.empty()).text());
        ApiClient writer = service.client().withKey(issue(Set.of(Scope.WRITE), Optional.empty()).text());
        String pet = "{\"name\":\"Rex\",\"categoryId\":1}";
        assertThat(writer.post(pet).statusCode()).isEqualTo(201);
        assertThat(reader.get("/v1/pets").statusCode()).isEqualTo(200);
        assertThat(reader.get("/v1/pets/1").statusCode()).isEqualTo(200);
        assertForbidden(reader.post(pet), "pets:write");
        assertForbidden(writer.get("/v1/pets"), "pets:read");
        assertForbidden(writer.get("/v1/pets/1"), "pets:read");
        assertThat(reader.get("/v1/pets").body()).doesNotContain("\"id\":2");
    }

    private KeyToken issue(Set<Scope> scopes, Optional<Instant> expires) {
        KeyToken token = KeyToken.random();
        otherProcess.keys().add(ApiKey.issued(token, token.id(), scopes, clock.instant(), expires, Optional.empty()));
        return token;
    }

    private void assertRefused(KeyToken token) {
        HttpResponse<String> response = service.client().withKey(token.text()).get("/v1/pets");
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().allValues("WWW-Authenticate")).containsExactly(INVALID_KEY_CHALLENGE);
    }

    private static void assertForbidden(HttpResponse<String> response, String scope) {
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.headers().allValues("WWW-Authenticate"))
                .containsExactly(CHALLENGE + ", error=\"insufficient_scope\", scope=\"" + scope + "\"");
    }
}
