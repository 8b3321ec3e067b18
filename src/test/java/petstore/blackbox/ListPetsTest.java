package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// listPets over HTTP: limit, status, after, Link.
class ListPetsTest {

    @TempDir
    private Path folder;
    @AutoClose
    private TestService service;
    private ApiClient client;

    @BeforeEach
    void start() {
        service = TestService.start(folder);
        client = service.client();
    }

    @Test
    void returnsFirstTwentyAnimalsByDefault() {
        add(25, "available");
        HttpResponse<String> response = client.get("/v1/pets");
        assertThat(ids(response)).hasSize(20).isSorted().startsWith(1L).endsWith(20L);
        assertThat(response.headers().allValues("Link")).containsExactly("</v1/pets?limit=20&after=20>; rel=\"next\"");
    }

    @Test
    void keepsFilterInLinkAndOmitsLinkOnLastPage() {
        add(4, "pending");
        assertThat(client.get("/v1/pets?status=pending&limit=2").headers().allValues("Link"))
                .containsExactly("</v1/pets?limit=2&status=pending&after=2>; rel=\"next\"");
        assertThat(client.get("/v1/pets?limit=2&status=pending&after=2").headers().allValues("Link")).isEmpty();
    }

    @Test
    void sendsLinkWith304() {
        add(21, "available");
        String tag = client.get("/v1/pets").headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> response = client.get("/v1/pets", "If-None-Match", "\"other\", W/" + tag);
        assertThat(response.statusCode()).isEqualTo(304);
        assertThat(response.body()).isEmpty();
        assertThat(response.headers().firstValue("Link")).isPresent();
        assertThat(response.headers().firstValue("ETag")).contains(tag);
    }

    private void add(int count, String status) {
        for (int i = 0; i < count; i++) {
            HttpResponse<String> response = client
                    .post("{\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"" + status + "\"}");
            assertThat(response.statusCode()).isEqualTo(201);
        }
    }

    private static List<Long> ids(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        return ServedContract.json(response.body()).valueStream().map(pet -> pet.get("id")).map(JsonNode::asLong)
                .toList();
    }
}
