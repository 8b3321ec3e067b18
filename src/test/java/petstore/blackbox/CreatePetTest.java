package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.BaseUrl;
import petstore.testkit.ApiClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// createPet over HTTP.
class CreatePetTest {

    @TempDir
    private Path folder;
    @AutoClose
    private TestService service;

    @BeforeEach
    void start() {
        service = TestService.start(folder);
    }

    @Test
    void returnsAnimalAndItsLocation() {
        HttpResponse<String> created = service.client()
                .post("{\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body())
                .isEqualTo("{\"id\":1,\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}");
        String location = created.headers().firstValue("Location").orElseThrow();
        assertThat(location).isEqualTo("/v1/pets/1");
        assertThat(created.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(service.client().get(location).body()).isEqualTo(created.body());
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
}
