package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.ApiClient;
import petstore.testkit.TestService;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Animals that an operator changes and deletes by SQL while the service runs. Every page and every animal must follow soon, and no request
/// may fail meanwhile.
@Tag("both-stores")
@ParameterizedClass
@ValueSource(ints = {7, 256})
class RowsChangedBySqlTest {

    private static final Duration SOON = Duration.ofSeconds(3);
    private static final int ANIMALS = 9;
    private static final List<Page> PAGES = List.of(new Page("", 3, 0), new Page("", 3, 3), new Page("", 3, 6),
            new Page("", 9, 0), new Page("", 100, 0), new Page("sold", 2, 0), new Page("sold", 100, 0),
            new Page("pending", 2, 2), new Page("available", 100, 4));

    /// An animal in the model of the catalogue.
    private record Animal(long id, String name, String status) {

        String json() {
            return "{\"id\":" + id + ",\"name\":\"" + name + "\",\"categoryId\":1,\"status\":\"" + status + "\"}";
        }
    }

    /// A request for a page.
    ///
    /// @param status empty for all
    private record Page(String status, int limit, long after) {

        String path() {
            return "/v1/pets?limit=" + limit + (status.isEmpty() ? "" : "&status=" + status) + "&after=" + after;
        }
    }

    @TempDir
    private Path folder;
    @Parameter
    private int idsOfBlock;
    @AutoClose
    private TestService service;
    private ApiClient client;
    private final NavigableMap<Long, Animal> animals = new TreeMap<>();
    private final Map<Page, HttpResponse<String>> shown = new HashMap<>();

    @BeforeEach
    void start() {
        service = TestService.start(folder, idsOfBlock);
        client = service.client();
        for (int i = 0; i < ANIMALS; i++) {
            add("sold");
        }
        assertFollows();
    }

    /// A page loses its `Link` if the animals after it are deleted, and their ids are not used again.
    @Test
    void pagesFollowEveryChange() {
        TestStore.execute(folder, "UPDATE pet SET name = 'Tom', status = 'pending' WHERE id IN (3, 4)");
        animals.put(3L, new Animal(3, "Tom", "pending"));
        animals.put(4L, new Animal(4, "Tom", "pending"));
        assertFollows();
        TestStore.execute(folder, "DELETE FROM pet WHERE id = 2");
        animals.remove(2L);
        assertFollows();
        assertThat(client.get("/v1/pets/2").statusCode()).isEqualTo(404);
        TestStore.execute(folder, "DELETE FROM pet WHERE id > 6");
        animals.tailMap(6L, false).clear();
        assertFollows();
        add("available");
        assertThat(animals.lastKey()).isEqualTo(ANIMALS + 1L);
        assertFollows();
        for (String sql : TestStore.database(folder).isPresent()
                ? List.of("DELETE FROM pet", "TRUNCATE pet")
                : List.of("DELETE FROM pet")) {
            TestStore.execute(folder, sql);
            animals.clear();
            assertFollows();
            add("pending");
            assertFollows();
        }
    }

    private void add(String status) {
        HttpResponse<String> added = client.post("{\"name\":\"Rex\",\"categoryId\":1,\"status\":\"" + status + "\"}");
        assertThat(added.statusCode()).isEqualTo(201);
        String location = added.headers().firstValue("Location").orElseThrow();
        long id = Long.parseLong(location.substring(location.lastIndexOf('/') + 1));
        animals.put(id, new Animal(id, "Rex", status));
    }

    /// Asserts that all pages and animals soon are those of the model, also for clients that revalidate the pages of before.
    private void assertFollows() {
        await().pollInterval(Duration.ofMillis(20)).atMost(SOON).until(() -> {
            boolean follows = true;
            for (Page page : PAGES) {
                follows &= shows(page);
            }
            return follows;
        });
        for (int round = 0; round < 2; round++) {
            assertThat(PAGES).allMatch(this::shows);
        }
        assertThat(animals.values()).allSatisfy(
                animal -> assertThat(client.get("/v1/pets/" + animal.id()).body()).isEqualTo(animal.json()));
    }

    /// Returns true if a page is that of the model, for this client and for one that knows the page of before.
    private boolean shows(Page page) {
        HttpResponse<String> before = shown.get(page);
        String tag = before == null ? "\"none\"" : before.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> now = client.get(page.path());
        HttpResponse<String> revalidated = client.get(page.path(), "If-None-Match", tag);
        assertThat(now.statusCode()).isEqualTo(200);
        assertThat(revalidated.statusCode()).isIn(200, 304);
        HttpResponse<String> known = revalidated.statusCode() == 304 && before != null ? before : revalidated;
        shown.put(page, known);
        return isCurrent(page, now) && isCurrent(page, known);
    }

    private boolean isCurrent(Page page, HttpResponse<String> response) {
        List<Animal> matching = animals.tailMap(page.after(), false).values().stream()
                .filter(animal -> page.status().isEmpty() || page.status().equals(animal.status())).toList();
        List<Animal> expected = matching.stream().limit(page.limit()).toList();
        String link = matching.size() > page.limit()
                ? "<" + new Page(page.status(), page.limit(), expected.getLast().id()).path() + ">; rel=\"next\""
                : "";
        return response.body().equals(String.join(",", expected.stream().map(Animal::json).toList()).transform(
                body -> "[" + body + "]"))
                && response.headers().firstValue("Link").orElse("").equals(link);
    }
}
