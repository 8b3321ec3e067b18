package petstore.blackbox;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petstore.testkit.ApiClient;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;

import static org.assertj.core.api.Assertions.assertThat;

/// HTTP apart from the operations: HEAD, `If-None-Match`, request ids, unsupported methods, and paths outside `/v1`.
class RoutingTest extends AbstractServiceTest {

    @BeforeEach
    void addAnimal() {
        client.post("{\"name\":\"Rex\",\"categoryId\":1}");
    }

    @Test
    void returnsStatusAndHeadersOfGetForHead() {
        for (String path : List.of("/v1/pets", "/v1/pets?limit=1", "/v1/pets/1", "/v1/pets/2", "/v1/pets?limit=x",
                "/docs",
                "/openapi.yaml", "/livez", "/nothing")) {
            HttpResponse<String> get = client.get(path);
            HttpResponse<String> head = client.send("HEAD", path, new byte[0]);
            assertThat(head.statusCode()).as(path).isEqualTo(get.statusCode());
            for (String name : List.of("Content-Type", "Content-Length", "ETag", "Link", "Cache-Control",
                    "Deprecation")) {
                assertThat(head.headers().allValues(name)).as("%s of %s", name, path)
                        .isEqualTo(get.headers().allValues(name));
            }
        }
    }

    @Test
    void evaluatesIfNoneMatchOfGetAndHead() {
        String tag = client.send("HEAD", "/v1/pets", new byte[0]).headers().firstValue("ETag").orElseThrow();
        for (String known : List.of(tag, "*", "W/" + tag, "\"a\" , " + tag + ",\"b\"")) {
            assertThat(client.send("HEAD", "/v1/pets", new byte[0], "If-None-Match", known).statusCode())
                    .isEqualTo(304);
        }
        for (String unknown : List.of("\"a\"", tag.replace("\"", ""), "")) {
            assertThat(client.get("/v1/pets", "If-None-Match", unknown).statusCode()).isEqualTo(200);
        }
        assertThat(client.get("/v1/pets", "If-None-Match", "\"a\"", "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(client.get("/v1/pets/2", "If-None-Match", "*").statusCode()).isEqualTo(404);
    }

    @Test
    void returnsOnlyValidRequestIds() {
        String longest = "a".repeat(128);
        for (String id : List.of("x", "A-z_0.9", longest)) {
            assertThat(client.get("/v1/pets", "X-Request-Id", id).headers().allValues("X-Request-Id"))
                    .containsExactly(id);
            assertThat(client.withKey("").get("/v1/pets", "X-Request-Id", id).headers().allValues("X-Request-Id"))
                    .containsExactly(id);
        }
        for (String id : List.of("", "a b", "ä", longest + "a", "a;b")) {
            assertThat(client.get("/v1/pets", "X-Request-Id", id).headers().allValues("X-Request-Id"))
                    .doesNotContain(id);
        }
    }

    @Test
    void returnsMethodsOfServerForOptionsWithAsterisk() throws IOException {
        String request = "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n";
        try (RawClient api = new RawClient(service.port()); RawClient admin = new RawClient(service.adminPort())) {
            for (int i = 0; i < 2; i++) {
                RawClient.Response response = api.send(request).response().orElseThrow();
                assertThat(response.status()).isEqualTo(204);
                assertThat(response.headers().get("allow")).containsExactly("GET, HEAD, OPTIONS, POST");
            }
            assertThat(admin.send(request).response().orElseThrow().headers().get("allow"))
                    .containsExactly("GET, HEAD, OPTIONS");
        }
    }

    @Test
    void datesResponseWhenItBegins() throws IOException {
        try (RawClient raw = new RawClient(service.port())) {
            String request = BadRequest.post(BadRequest.PET).replace("Content-Length",
                    "Expect: 100-continue\r\nContent-Length");
            raw.send(request.substring(0, request.indexOf(BadRequest.PET)));
            assertThat(raw.response().orElseThrow().status()).isEqualTo(100);
            clock.set("2026-11-21T10:01:07Z");
            assertThat(raw.send(BadRequest.PET).response().orElseThrow().headers().get("date"))
                    .containsExactly("Sat, 21 Nov 2026 10:01:07 GMT");
        }
    }

    @Test
    void servesReferencePageWithoutExternalResources() {
        ApiClient anonymous = client.withKey("");
        HttpResponse<String> page = anonymous.get("/docs");
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none'; ").contains("frame-ancestors 'none'").doesNotContain("unsafe")
                .doesNotContain("*");
        assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
        assertThat(page.headers().firstValue("Referrer-Policy")).contains("no-referrer");
        assertThat(page.body()).doesNotContainPattern("(?:src|href)=\"(?:https?:)?//");
    }

    /// A proxy with a path prefix removes the prefix from requests. It does not change the pages.
    @Test
    void servesReferencePageBelowPathPrefix() {
        ApiClient anonymous = client.withKey("");
        URI proxied = URI.create("https://proxy.example/shop/docs");
        String page = anonymous.get("/docs").body();
        String script = anonymous.get("/docs/docs.js").body();
        Set<String> loaded = Pattern.compile("(?:(?:src|href)=\"|url: ')([^\"':]+)[\"']").matcher(page + script)
                .results().map(found -> proxied.resolve(found.group(1)).toString())
                .collect(Collectors.toSet());
        assertThat(loaded).hasSizeGreaterThanOrEqualTo(6).contains("https://proxy.example/shop/openapi.json")
                .allSatisfy(url -> {
                    assertThat(url).startsWith("https://proxy.example/shop/");
                    assertThat(anonymous.get(url.substring("https://proxy.example/shop".length())).statusCode())
                            .isEqualTo(200);
                });
    }

    @Test
    void servesContractAsYamlAndJson() {
        HttpResponse<String> yaml = client.withKey("").get("/openapi.yaml");
        HttpResponse<String> json = client.withKey("").get("/openapi.json");
        assertThat(yaml.headers().firstValue("Content-Type")).contains("application/yaml");
        assertThat(yaml.body()).isEqualTo(ServedContract.openapi());
        assertThat(json.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(ServedContract.json(json.body())).isEqualTo(ServedContract.yaml(yaml.body()));
        assertThat(client.get("/openapi.json", "If-None-Match", json.headers().firstValue("ETag").orElseThrow())
                .statusCode())
                .isEqualTo(304);
    }

    @Test
    void namesKnownPathsInMessageOf404() {
        ApiClient anonymous = client.withKey("");
        assertThat(notFoundMessage(anonymous)).isEqualTo("not found; the reference is at /docs");
        assertThat(anonymous.get("/docs").statusCode()).isEqualTo(200);
        ApiClient admin = new ApiClient(service.adminPort(), "");
        assertThat(notFoundMessage(admin))
                .isEqualTo("not found; there are /metrics, /livez and /readyz");
        assertThat(admin.get("/docs").statusCode()).isEqualTo(404);
        assertThat(admin.get("/metrics").statusCode()).isEqualTo(200);
    }

    private static String notFoundMessage(ApiClient client) {
        HttpResponse<String> response = client.get("/nothing");
        assertThat(response.statusCode()).isEqualTo(404);
        return ServedContract.json(response.body()).get("message").asText();
    }
}
