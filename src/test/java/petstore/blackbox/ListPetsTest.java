package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.ApiClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// listPets over HTTP: limit, status, after, Link.
@Tag("both-stores")
@ParameterizedClass
@ValueSource(ints = {1, 2, 7, 256})
class ListPetsTest {

    @TempDir
    private Path folder;
    @Parameter
    private int idsOfBlock;
    private TestService service;
    private ApiClient client;

    @BeforeEach
    void start() {
        service = TestService.start(folder, idsOfBlock);
        client = service.client();
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void returnsEmptyArrayWithoutAnimals() {
        HttpResponse<String> response = client.get("/v1/pets");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("[]");
        assertThat(response.headers().firstValue("Link")).isEmpty();
    }

    @Test
    void returnsFirstTwentyAnimalsByDefault() {
        add(25, "available");
        HttpResponse<String> response = client.get("/v1/pets");
        assertThat(ids(response)).hasSize(20).isSorted().startsWith(1L).endsWith(20L);
        assertThat(response.headers().allValues("Link")).containsExactly("</v1/pets?limit=20&after=20>; rel=\"next\"");
    }

    @Test
    void reachesEveryAnimalOnceThroughLinks() {
        add(7, "sold");
        add(6, "available");
        add(5, "sold");
        List<Long> seen = new ArrayList<>();
        String next = "/v1/pets?limit=3&status=sold";
        while (!next.isEmpty()) {
            HttpResponse<String> response = client.get(next);
            assertThat(response.statusCode()).isEqualTo(200);
            seen.addAll(ids(response));
            next = response.headers().firstValue("Link").map(link -> link.substring(1, link.indexOf('>'))).orElse("");
        }
        assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 14L, 15L, 16L, 17L, 18L);
    }

    @Test
    void keepsFilterInLinkAndOmitsLinkOnLastPage() {
        add(4, "pending");
        assertThat(client.get("/v1/pets?status=pending&limit=2").headers().allValues("Link"))
                .containsExactly("</v1/pets?limit=2&status=pending&after=2>; rel=\"next\"");
        assertThat(client.get("/v1/pets?limit=2&status=pending&after=2").headers().allValues("Link")).isEmpty();
    }

    @Test
    void changesETagWhenNextPageAppears() {
        add(20, "available");
        String tag = client.get("/v1/pets").headers().firstValue("ETag").orElseThrow();
        assertThat(client.get("/v1/pets", "If-None-Match", tag).statusCode()).isEqualTo(304);
        add(1, "available");
        HttpResponse<String> response = client.get("/v1/pets", "If-None-Match", tag);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Link")).isPresent();
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

    @Test
    void acceptsFullRangeOfLimitAndAfter() {
        add(3, "available");
        assertThat(ids(client.get("/v1/pets?limit=1"))).containsExactly(1L);
        assertThat(ids(client.get("/v1/pets?limit=100"))).hasSize(3);
        assertThat(ids(client.get("/v1/pets?after=" + Long.MIN_VALUE))).hasSize(3);
        assertThat(ids(client.get("/v1/pets?after=" + Long.MAX_VALUE))).isEmpty();
        assertThat(ids(client.get("/v1/pets?%6Cimit=2"))).hasSize(2);
        assertThat(ids(client.get("/v1/pets?unknown=1&Limit=0&x=%25zz"))).hasSize(3);
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
