package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.KeyToken;
import petstore.testkit.ApiClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestClock;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// getPet over HTTP, before and after its removal date.
@Tag("both-stores")
class GetPetTest {

    @TempDir
    private Path folder;
    private final TestClock clock = new TestClock("2030-12-05T23:59:59.999Z");
    private TestService service;
    private ApiClient client;

    @BeforeEach
    void start() {
        service = TestService.start(folder, clock, UnaryOperator.identity());
        client = service.client();
        client.post("{\"name\":\"Rex\",\"categoryId\":1}");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void returnsAnimalUntilRemovalDate() {
        HttpResponse<String> response = client.get("/v1/pets/1");
        assertThat(response.statusCode()).isEqualTo(200);
        assertHasDeprecationHeaders(response);
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
        for (String id : List.of("2", "0", "-1", "9223372036854775807", "9223372036854775808", "x", "1.0", "01", "+1",
                "%00",
                "%25zz", "1%20")) {
            HttpResponse<String> response = client.get("/v1/pets/" + id);
            assertThat(response.statusCode()).as(id).isEqualTo(404);
            assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo("not_found");
            assertHasDeprecationHeaders(response);
        }
    }

    @Test
    void sendsDeprecationHeadersWith304() {
        String tag = client.get("/v1/pets/1").headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> response = client.get("/v1/pets/1", "If-None-Match", tag);
        assertThat(response.statusCode()).isEqualTo(304);
        assertHasDeprecationHeaders(response);
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

    @Test
    void acceptsPercentEncodedId() {
        assertThat(client.get("/v1/pets/%31").statusCode()).isEqualTo(200);
    }

    private static void assertHasDeprecationHeaders(HttpResponse<String> response) {
        assertThat(response.headers().allValues("Deprecation")).containsExactly("@1795132800");
        assertThat(response.headers().allValues("Sunset")).containsExactly("Thu, 05 Dec 2030 23:59:59 GMT");
        assertThat(response.headers().allValues("Link")).containsExactly(
                "</v1/pets?status=available>; rel=\"successor-version\"",
                "</docs#/pets/getPet>; rel=\"deprecation\"; type=\"text/html\"");
    }
}
