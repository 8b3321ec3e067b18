package petstore.blackbox;

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petstore.KeyToken;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.store.postgres.PostgresUri;
import petstore.testkit.PostgresServer;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// getPet over HTTP, before and after its removal date.
@Tag("both-stores")
class GetPetTest extends AbstractServiceTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @BeforeEach
    void addAnimalJustBeforeRemovalDate() {
        clock.set("2030-12-05T23:59:59.999Z");
        client.post("{\"name\":\"Rex\",\"categoryId\":1}");
    }

    @Test
    void returnsAnimalUntilRemovalDate() {
        HttpResponse<String> response = client.get("/v1/pets/1");
        assertThat(response.statusCode()).isEqualTo(200);
        assertHasDeprecationHeaders(response);
        HttpResponse<String> unchanged = client.get("/v1/pets/1", "If-None-Match",
                response.headers().firstValue("ETag").orElseThrow());
        assertThat(unchanged.statusCode()).isEqualTo(304);
        assertHasDeprecationHeaders(unchanged);
    }

    @Test
    void returns410FromRemovalDate() {
        clock.set("2030-12-06T00:00:00Z");
        for (String id : List.of("1", "2", "x")) {
            HttpResponse<String> response = client.get("/v1/pets/" + id);
            assertThat(response.statusCode()).isEqualTo(410);
            assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo("gone");
            assertHasDeprecationHeaders(response);
        }
        assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
    }

    @Test
    void sendsDeprecationHeadersWith404() {
        for (String id : List.of("2", "0", "9223372036854775808", "x", "%00")) {
            HttpResponse<String> response = client.get("/v1/pets/" + id);
            assertThat(response.statusCode()).as(id).isEqualTo(404);
            assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo("not_found");
            assertHasDeprecationHeaders(response);
        }
    }

    @Test
    void sendsNoDeprecationHeadersWith401() {
        String unknown = new KeyToken("a".repeat(10), "b".repeat(32)).text();
        for (String key : List.of("", "wrong", unknown)) {
            HttpResponse<String> response = client.withKey(key).get("/v1/pets/1");
            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.headers().firstValue("Deprecation")).as(key).isEmpty();
        }
    }

    /// The time of the request ends while its key is looked up.
    @Test
    void sendsDeprecationHeadersWith503() throws SQLException {
        Optional<PostgresUri> database = TestStore.database(folder);
        assumeThat(database).as("SQLite lets no lock delay a look-up").isPresent();
        String unknown = new KeyToken("a".repeat(10), "b".repeat(32)).text();
        try (TestService late = TestService.start(folder, new Deadlines(LONG, LONG, Duration.ofSeconds(1)), 10);
                Connection other = PostgresServer.connect(database.orElseThrow().toString());
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("LOCK TABLE api_key, api_key_change");
            HttpResponse<String> response = late.client().withKey(unknown).get("/v1/pets/1");
            assertThat(response.statusCode()).isEqualTo(503);
            assertHasDeprecationHeaders(response);
        }
    }

    private static void assertHasDeprecationHeaders(HttpResponse<String> response) {
        assertThat(response.headers().allValues("Deprecation")).containsExactly("@1795132800");
        assertThat(response.headers().allValues("Sunset")).containsExactly("Thu, 05 Dec 2030 23:59:59 GMT");
        assertThat(response.headers().allValues("Link")).containsExactly(
                "</v1/pets?status=available>; rel=\"successor-version\"",
                "</docs#/pets/getPet>; rel=\"deprecation\"; type=\"text/html\"");
    }
}
