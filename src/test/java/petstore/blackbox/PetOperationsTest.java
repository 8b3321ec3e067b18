package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.BaseUrl;
import petstore.testkit.ApiClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// createPet and listPets over HTTP: the animal, limit, after and Link.
class PetOperationsTest extends AbstractServiceTest {

    @Test
    void returnsAnimalAndItsLocation() {
        HttpResponse<String> created = client.post("{\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body())
                .isEqualTo("{\"id\":1,\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}");
        String location = created.headers().firstValue("Location").orElseThrow();
        assertThat(location).isEqualTo("/v1/pets/1");
        assertThat(created.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(client.get(location).body()).isEqualTo(created.body());
    }

    @Test
    void makesLinksAbsoluteWithBaseUrl(@TempDir Path other) {
        BaseUrl base = BaseUrl.parse("https://shop.example/animals/v1");
        try (TestService based = TestService.start(other, Clock.systemUTC(),
                http -> http.baseUrl(base))) {
            ApiClient client = based.client();
            HttpResponse<String> created = client.post("{\"name\":\"Rex\",\"categoryId\":1}");
            assertThat(created.headers().firstValue("Location")).contains(base + "/pets/1");
            client.post("{\"name\":\"Rex\",\"categoryId\":1}");
            assertThat(client.get("/v1/pets?limit=1").headers().allValues("Link"))
                    .containsExactly("<" + base + "/pets?limit=1&after=1>; rel=\"next\"");
            assertThat(client.get("/v1/pets/1").headers().allValues("Link")).containsExactly(
                    "<" + base + "/pets?status=available>; rel=\"successor-version\"",
                    "<https://shop.example/animals/docs#/pets/getPet>; rel=\"deprecation\"; type=\"text/html\"");
            assertThat(client.get("/openapi.json").body())
                    .contains("\"servers\":[{\"url\":\"" + base + "\",\"description\":\"Production\"}]");
            assertThat(client.get("/nothing").body())
                    .contains("the reference is at https://shop.example/animals/docs\"");
        }
    }

    @Test
    void returnsFirstTwentyAnimalsByDefault() {
        add(25);
        HttpResponse<String> response = client.get("/v1/pets");
        assertThat(ids(response)).hasSize(20).isSorted().startsWith(1L).endsWith(20L);
        assertThat(response.headers().allValues("Link")).containsExactly("</v1/pets?limit=20&after=20>; rel=\"next\"");
    }

    @Test
    void sendsLinkWith304() {
        add(21);
        String tag = client.get("/v1/pets").headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> response = client.get("/v1/pets", "If-None-Match", "\"other\", W/" + tag);
        assertThat(response.statusCode()).isEqualTo(304);
        assertThat(response.body()).isEmpty();
        assertThat(response.headers().firstValue("Link")).isPresent();
        assertThat(response.headers().firstValue("ETag")).contains(tag);
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            HttpResponse<String> response = client
                    .post("{\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}");
            assertThat(response.statusCode()).isEqualTo(201);
        }
    }

    private static List<Long> ids(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        return ServedContract.json(response.body()).valueStream().map(pet -> pet.get("id")).map(JsonNode::asLong)
                .toList();
    }
}
