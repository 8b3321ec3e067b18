package petstore.blackbox;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.Scope;
import petstore.store.SqlStore;
import petstore.testkit.ApiClient;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestStore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// Preconditions (RFC 9110 section 13.1): status 412 if the resource has changed.
@Tag("both-stores")
class IfMatchTest extends AbstractServiceTest {

    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";
    private static final List<String> METHODS = List.of("GET", "HEAD");
    private static final List<String> PATHS = List.of("/v1/pets", "/v1/pets?limit=1", "/v1/pets/1");

    @BeforeEach
    void addAnimal() {
        client.post(PET);
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

    /// Apache, lighttpd and Caddy add the name of the coding to the tag of a response that they compress, Jetty with another hyphen.
    @ParameterizedTest
    @ValueSource(strings = {"-gzip", "-br", "-zstd", "-deflate", "--gzip"})
    void acceptsTagThatProxyHasChanged(String suffix) {
        for (String path : PATHS) {
            String changed = tag(path).replaceFirst("\"$", suffix + "\"");
            for (String field : List.of(changed, "\"a\", " + changed, "\"a-gzip\"," + changed + ",\"b\"")) {
                assertThat(read("GET", path, "If-Match", field)).isEqualTo(200);
                assertThat(read("GET", path, "If-None-Match", field)).isEqualTo(304);
                assertThat(read("GET", path, "If-None-Match", "W/" + field)).isEqualTo(304);
            }
            for (String other : List.of("W/" + changed, changed.replace(suffix, suffix + suffix),
                    changed.replace(suffix, suffix + "x"), changed.replace(suffix, "-x" + suffix))) {
                assertThat(read("GET", path, "If-Match", other)).as(other).isEqualTo(412);
            }
        }
        assertThat(client.post(PET, "If-Match", tag("/v1/pets").replaceFirst("\"$", suffix + "\"")).statusCode())
                .isEqualTo(201);
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

    /// Returns the response to createPet.
    private HttpResponse<String> add(ApiClient by, String query, String body, String... headers) {
        return by.send("POST", "/v1/pets" + query, body.getBytes(UTF_8),
                Stream.concat(Stream.of(headers), Stream.of("Content-Type", "application/json"))
                        .toArray(String[]::new));
    }

    private int add(String query, String... headers) {
        return add(client, query, PET, headers).statusCode();
    }

    private int count() {
        return ServedContract.json(client.get("/v1/pets?limit=100").body()).size();
    }

    /// The tag is that of the page that GET of the same target returns.
    @Test
    void addsAnimalIfPreconditionsHold() {
        int added = count();
        for (String query : List.of("", "?limit=1", "?status=sold", "?after=1&limit=2", "?x=y")) {
            for (String[] headers : new String[][]{{"If-Match", "*"}, {"If-Match", "\"a\", TAG"},
                    {"If-Match", "TAG", "If-None-Match", "\"a\""}, {"If-None-Match", "\"a\""},
                    {"If-None-Match", ""}, {"If-Match", "\"a\"", "If-Match", "TAG"},
                    {"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"},
                    {"If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"}}) {
                assertThat(add(query, withTag(query, headers))).as("%s %s", query, List.of(headers)).isEqualTo(201);
                added++;
            }
        }
        assertThat(count()).isEqualTo(added);
    }

    @Test
    void addsNothingIfPreconditionFails() {
        String old = tag("/v1/pets");
        client.post(PET);
        for (String query : List.of("", "?limit=1", "?status=sold", "?after=1&limit=2")) {
            for (String[] headers : new String[][]{{"If-Match", "\"a\""}, {"If-Match", "W/TAG"}, {"If-Match", ""},
                    {"If-Match", old}, {"If-None-Match", "*"}, {"If-None-Match", "TAG"},
                    {"If-None-Match", "\"a\", W/TAG"}, {"If-Match", "TAG", "If-None-Match", "TAG"},
                    {"If-Match", "\"a\"", "If-None-Match", "\"a\""}}) {
                HttpResponse<String> response = add(client, query, PET, withTag(query, headers));
                assertThat(response.statusCode()).as("%s %s", query, List.of(headers)).isEqualTo(412);
                assertThat(response.headers().firstValue("ETag")).isEmpty();
            }
        }
        assertThat(count()).isEqualTo(2);
    }

    private String[] withTag(String query, String... headers) {
        String tag = tag("/v1/pets" + query);
        return Stream.of(headers).map(text -> text.replace("TAG", tag)).toArray(String[]::new);
    }

    /// There is no page with an ETag.
    @Test
    void failsIfMatchOfCreatePetIfQueryIsInvalid() {
        for (String query : List.of("?limit=0", "?status=lost", "?after=1&after=2")) {
            assertThat(add(query, "If-Match", "*")).isEqualTo(412);
            assertThat(add(query, "If-None-Match", "*")).isEqualTo(201);
        }
    }

    /// GET of the target returns 403. A tag would be a guess at the page.
    @Test
    void comparesNoTagForKeyThatMayNotRead() {
        ApiClient writer = client.withKey(issue(Scope.WRITE, Optional.empty()));
        assertThat(add(writer, "", PET, "If-Match", "*").statusCode()).isEqualTo(412);
        assertThat(add(writer, "", PET, "If-Match", tag("/v1/pets")).statusCode()).isEqualTo(412);
        for (String field : List.of("*", tag("/v1/pets"))) {
            assertThat(add(writer, "", PET, "If-None-Match", field).statusCode()).isEqualTo(201);
        }
        assertThat(count()).isEqualTo(3);
    }

    /// Returns a new key.
    private String issue(Scope scope, Optional<RateLimit> limit) {
        KeyToken token = KeyToken.random();
        try (SqlStore store = TestStore.open(folder)) {
            store.keys().add(ApiKey.issued(token, token.id(), Set.of(scope), Instant.now(), Optional.empty(), limit));
        }
        return token.text();
    }

    @Test
    void checksPreconditionsOfCreatePetAfterOtherErrors() throws IOException {
        String[] failing = {"If-Match", "\"a\""};
        ApiClient reader = client.withKey(issue(Scope.READ, Optional.empty()));
        assertThat(add(reader, "", PET, failing).statusCode()).isEqualTo(403);
        ApiClient slow = client.withKey(
                issue(Scope.WRITE, Optional.of(new RateLimit(1, Duration.ofHours(1)))));
        assertThat(add(slow, "", PET, failing).statusCode()).isEqualTo(412);
        assertThat(add(slow, "", PET, failing).statusCode()).isEqualTo(429);
        try (RawClient raw = new RawClient(service.port())) {
            assertThat(raw.send(BadRequest.post(PET).replace("Host", "Expect: 200-ok\r\nIf-Match: \"a\"\r\nHost"))
                    .response().orElseThrow().status()).isEqualTo(417);
        }
        assertThat(add(client.withKey(""), "", PET, failing).statusCode()).isEqualTo(401);
        assertThat(add(client, "", "{}", failing).statusCode()).isEqualTo(400);
        assertThat(add(client, "", " ".repeat(70_000), failing).statusCode()).isEqualTo(413);
        assertThat(add("", "If-Match", "\"a\"", "Idempotency-Key", "a b")).isEqualTo(400);
        assertThat(client.send("POST", "/v1/pets", PET.getBytes(UTF_8), failing).statusCode()).isEqualTo(415);
        assertThat(client.send("POST", "/v1/pets/1", PET.getBytes(UTF_8), failing).statusCode()).isEqualTo(405);
    }

    @Test
    void retryReturnsAnimalAlthoughTagHasChanged() {
        String tag = tag("/v1/pets");
        String[] first = {"Idempotency-Key", "one", "If-Match", tag};
        HttpResponse<String> added = add(client, "", PET, first);
        assertThat(added.statusCode()).isEqualTo(201);
        client.post(PET);
        for (String[] retry : new String[][]{first, {"Idempotency-Key", "one", "If-None-Match", "*"}}) {
            HttpResponse<String> again = add(client, "", PET, retry);
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(again.body()).isEqualTo(added.body());
            assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        }
        assertThat(add(client, "", PET.replace("Rex", "Tom"), first).statusCode()).isEqualTo(422);
    }

    @Test
    void failedPreconditionIsNotRecordedForIdempotencyKey() {
        assertThat(add("", "Idempotency-Key", "one", "If-Match", "\"a\"")).isEqualTo(412);
        HttpResponse<String> other = add(client, "", PET.replace("Rex", "Tom"), "Idempotency-Key", "one");
        assertThat(other.statusCode()).isEqualTo(201);
        assertThat(other.headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    /// They change the tag while the others are checked.
    @Test
    void concurrentRetriesAddOneAnimal() {
        for (int round = 0; round < 10; round++) {
            String[] headers = {"Idempotency-Key", "key" + round, "If-Match", tag("/v1/pets")};
            int before = count();
            List<CompletableFuture<Integer>> statuses = Stream.generate(() -> CompletableFuture
                    .supplyAsync(() -> add("", headers), Thread::startVirtualThread)).limit(16).toList();
            assertThat(statuses.stream().map(CompletableFuture::join).toList()).contains(201)
                    .isSubsetOf(201, 409);
            assertThat(count()).isEqualTo(before + 1);
        }
    }
}
