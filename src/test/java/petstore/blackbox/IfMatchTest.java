package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// If-Match of reads (RFC 9110 section 13.1.1): status 412 if the resource has changed.
@Tag("both-stores")
class IfMatchTest {

    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";
    private static final List<String> METHODS = List.of("GET", "HEAD");
    private static final List<String> PATHS = List.of("/v1/pets", "/v1/pets?limit=1", "/v1/pets/1");

    @TempDir
    private Path folder;
    private TestService service;
    private ApiClient client;

    @BeforeEach
    void start() {
        service = TestService.start(folder);
        client = service.client();
        client.post(PET);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private int read(String method, String path, String... headers) {
        return client.send(method, path, new byte[0], headers).statusCode();
    }

    private String tag(String path) {
        return client.get(path).headers().firstValue("ETag").orElseThrow();
    }

    @Test
    void returnsResourceIfTagMatches() {
        for (String path : PATHS) {
            String tag = tag(path);
            for (String method : METHODS) {
                for (String field : List.of("*", " * ", tag, "\"a,b\"," + tag, "W/\"a\" ,\t" + tag + ", \"b\"",
                        ", ," + tag)) {
                    assertThat(read(method, path, "If-Match", field)).as("%s %s %s", method, path, field)
                            .isEqualTo(200);
                }
                assertThat(read(method, path, "If-Match", "\"a\"", "If-Match", tag)).isEqualTo(200);
            }
        }
    }

    /// The comparison is strong, so a weak tag never matches. A malformed field matches no tag.
    @Test
    void returns412IfNoTagMatches() {
        for (String path : PATHS) {
            String tag = tag(path);
            String bare = tag.substring(1, tag.length() - 1);
            for (String other : List.of("\"a\"", "W/" + tag, "w/" + tag, "\"" + bare + "x\"", "\"x" + bare + "\"",
                    "\"a, " + bare + "\"",
                    bare, "\"" + bare, bare + "\"", "'" + bare + "'", "x" + tag, "", ",", "\"", "\"*\"", "**",
                    "*, " + tag, "W/")) {
                for (String method : METHODS) {
                    assertThat(read(method, path, "If-Match", other)).as("%s %s %s", method, path, other)
                            .isEqualTo(412);
                }
            }
            assertThat(read("GET", path, "If-Match", "\"a\"", "If-Match", "\"b\"")).isEqualTo(412);
        }
    }

    @Test
    void reportsFailedPrecondition() {
        HttpResponse<String> response = client.get("/v1/pets", "If-Match", "\"a\"");
        assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo("precondition_failed");
        assertThat(response.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(client.get("/v1/pets/1", "If-Match", "\"a\"").headers().firstValue("Deprecation")).isPresent();
    }

    @Test
    void returns412AfterChange() {
        String tag = tag("/v1/pets");
        String first = tag("/v1/pets?limit=1");
        client.post(PET);
        for (int i = 0; i < 3; i++) {
            assertThat(read("GET", "/v1/pets", "If-Match", tag)).isEqualTo(412);
            assertThat(read("GET", "/v1/pets?limit=1", "If-Match", first)).as("the page has a next page now")
                    .isEqualTo(412);
        }
    }

    @Test
    void checksIfMatchAfterOtherErrorsAndBeforeIfNoneMatch() {
        for (String path : PATHS) {
            String tag = tag(path);
            assertThat(read("GET", path, "If-Match", "\"a\"", "If-None-Match", tag)).isEqualTo(412);
            assertThat(read("GET", path, "If-Match", "\"a\"", "If-None-Match", "*")).isEqualTo(412);
            assertThat(read("GET", path, "If-Match", tag, "If-None-Match", tag)).isEqualTo(304);
            assertThat(read("GET", path, "If-Match", "*", "If-None-Match", "\"a\"")).isEqualTo(200);
            assertThat(client.withKey("").get(path, "If-Match", "\"a\"").statusCode()).isEqualTo(401);
        }
        for (String match : List.of("*", "\"a\"")) {
            assertThat(read("GET", "/v1/pets?limit=0", "If-Match", match)).isEqualTo(400);
            assertThat(read("GET", "/v1/pets/99", "If-Match", match)).isEqualTo(404);
            assertThat(read("PUT", "/v1/pets", "If-Match", match)).isEqualTo(405);
        }
    }

    @Test
    void ignoresPreconditionsOfCreatePet() {
        assertThat(client.post(PET, "If-Match", "\"a\"", "If-None-Match", "*").statusCode()).isEqualTo(201);
    }
}
