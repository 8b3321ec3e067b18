package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.NewPet;
import petstore.store.SqlStore;
import petstore.testkit.ApiClient;
import petstore.testkit.TestService;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// Pages that are read while animals are added, compared with a model of the catalogue. With blocks of any size, cached or not, a page shows the catalogue at one
/// moment after its request was sent.
@Tag("both-stores")
@ParameterizedClass
@ValueSource(ints = {7, 256})
class PagesTest {

    private static final long SEED = Long.getLong("petstore.seed", System.nanoTime());
    private static final int WRITERS = 3;
    private static final int READERS = 4;
    private static final int ANIMALS = 400;
    private static final List<String> STATUSES = List.of("available", "pending", "sold");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";
    private static final String HITS = "petstore_page_cache_requests_total{result=\"hit\"}";
    private static final String VERSIONS = "petstore_store_batch_duration_seconds_count{queue=\"catalogue-version\"}";
    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

    /// A request for a page.
    private record Query(int limit, Optional<String> status, long after) {

        static Query random(Random random) {
            return new Query(random.nextBoolean() ? 3 : 20,
                    random.nextBoolean() ? Optional.empty() : Optional.of(STATUSES.get(random.nextInt(3))),
                    random.nextInt(4) * (ANIMALS / 4L));
        }

        String path() {
            return "/v1/pets?limit=" + limit + status.map(text -> "&status=" + text).orElse("") + "&after=" + after;
        }

        String linkAfter(long last) {
            return "<" + new Query(limit, status, last).path() + ">; rel=\"next\"";
        }
    }

    /// The contents of a page, which its `ETag` identifies.
    private record Content(String body, String link) {

        static Content of(HttpResponse<String> response) {
            return new Content(response.body(), response.headers().firstValue("Link").orElse(""));
        }
    }

    /// A page that was read.
    ///
    /// @param acknowledged the greatest id that was acknowledged before the page was requested
    private record Reading(Query query, Content content, long acknowledged) {
    }

    @TempDir
    private Path folder;
    @Parameter
    private int idsOfBlock;

    /// The added animals by id, as JSON, and their statuses.
    private final NavigableMap<Long, String> animals = new ConcurrentSkipListMap<>();
    private final Map<Long, String> statuses = new ConcurrentHashMap<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicInteger started = new AtomicInteger();
    private final Map<String, Content> tags = new ConcurrentHashMap<>();
    private final Queue<Reading> readings = new ConcurrentLinkedQueue<>();

    @Test
    void returnsConsistentPagesDuringWrites() throws Exception {
        System.out.println("PagesTest: -Dpetstore.seed=" + SEED);
        Random seeds = new Random(SEED);
        try (TestService service = TestService.start(folder, idsOfBlock);
                ExecutorService threads = Executors.newFixedThreadPool(WRITERS + READERS)) {
            List<Callable<Void>> clients = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                Random random = new Random(seeds.nextLong());
                clients.add(() -> write(service.client(), random));
            }
            for (int i = 0; i < READERS; i++) {
                Random random = new Random(seeds.nextLong());
                clients.add(() -> read(service.client(), random));
            }
            for (Future<Void> client : threads.invokeAll(clients)) {
                client.get();
            }
        }
        assertThat(animals).hasSize(ANIMALS);
        assertThat(readings).hasSizeGreaterThan(100).allSatisfy(this::check);
        assertThat(tags.entrySet().stream().collect(Collectors.groupingBy(Map.Entry::getValue)).values())
                .as("a page has one ETag").allMatch(tagsOfPage -> tagsOfPage.size() == 1);
    }

    @Test
    void showsAnimalsOfOtherProcessSoon() {
        Query fullPage = new Query(3, Optional.empty(), 0);
        Query lastPage = new Query(3, Optional.empty(), 3);
        try (TestService service = TestService.start(folder, idsOfBlock); SqlStore command = TestStore.open(folder)) {
            command.catalogue().addAll(Collections.nCopies(5, new NewPet("Rex", 1, Optional.empty())));
            HttpResponse<String> fullBefore = awaitCachedPage(service, fullPage);
            HttpResponse<String> lastBefore = awaitCachedPage(service, lastPage);
            assertThat(Content.of(fullBefore)).isEqualTo(new Content(json(1, 2, 3), fullPage.linkAfter(3)));
            assertThat(Content.of(lastBefore)).isEqualTo(new Content(json(4, 5), ""));

            command.catalogue().addAll(Collections.nCopies(2, new NewPet("Rex", 1, Optional.empty())));
            assertChangesSoon(service, lastPage, lastBefore, new Content(json(4, 5, 6), lastPage.linkAfter(6)));
            assertThat(Content.of(awaitCachedPage(service, fullPage))).isEqualTo(Content.of(fullBefore));
        }
    }

    @Test
    void showsAnimalAddedWithIdempotencyKeyImmediately() {
        Query all = new Query(20, Optional.empty(), 0);
        try (TestService service = TestService.start(folder, idsOfBlock)) {
            for (int id = 1; id <= 10; id++) {
                awaitCachedPage(service, all);
                assertThat(service.client().post(PET, "Idempotency-Key", "key" + id).statusCode()).isEqualTo(201);
                assertThat(service.client().get(all.path()).body())
                        .isEqualTo(json(LongStream.rangeClosed(1, id).toArray()));
            }
        }
    }

    private static HttpResponse<String> awaitCachedPage(TestService service, Query query) {
        int before = service.metric(HITS);
        return await().atMost(PATIENCE).until(() -> service.client().get(query.path()),
                _ -> service.metric(HITS) > before);
    }

    /// The database is asked only for the versions of last pages.
    @Test
    void keepsPagesWithNextPageWithoutTheirVersion() {
        assumeThat(TestStore.database(folder)).as("on SQLite a version is known for a second").isPresent();
        Query lastPage = new Query(3, Optional.empty(), 3);
        try (TestService service = TestService.start(folder, idsOfBlock); SqlStore command = TestStore.open(folder)) {
            command.catalogue().addAll(Collections.nCopies(5, new NewPet("Rex", 1, Optional.empty())));
            for (int i = 0; i < 4; i++) {
                var _ = awaitCachedPage(service, new Query(1, Optional.empty(), i));
            }
            assertThat(service.metric(VERSIONS)).isZero();
            var _ = awaitCachedPage(service, lastPage);
            assertThat(service.metric(VERSIONS)).isPositive();
        }
    }

    /// The service notices the change within a second; a slow machine needs more.
    private static void assertChangesSoon(TestService service, Query query, HttpResponse<String> before,
            Content expected) {
        String tag = before.headers().firstValue("ETag").orElseThrow();
        await().atMost(SOON).untilAsserted(() -> {
            HttpResponse<String> page = service.client().get(query.path(), "If-None-Match", tag);
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(Content.of(page)).isEqualTo(expected);
        });
    }

    private static String json(long... ids) {
        return LongStream.of(ids).mapToObj(id -> "{\"id\":" + id + ",\"name\":\"Rex\",\"categoryId\":1}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private Void write(ApiClient client, Random random) {
        for (int i = started.getAndIncrement(); i < ANIMALS; i = started.getAndIncrement()) {
            String status = STATUSES.get(random.nextInt(3));
            String animal = client.post("{\"name\":\"animal " + i + "\",\"categoryId\":" + i + ",\"status\":\"" + status
                    + "\"}").body();
            long id = ID.matcher(animal).results().map(match -> Long.valueOf(match.group(1))).findFirst().orElseThrow();
            animals.put(id, animal);
            statuses.put(id, status);
            acknowledged.accumulateAndGet(id, Math::max);
        }
        return null;
    }

    private Void read(ApiClient client, Random random) {
        Map<Query, String> knownTags = new HashMap<>();
        while (started.get() < ANIMALS + WRITERS) {
            Query query = Query.random(random);
            long before = acknowledged.get();
            HttpResponse<String> page = client.get(query.path(), "If-None-Match",
                    knownTags.getOrDefault(query, "\"none\""));
            String tag = page.headers().firstValue("ETag").orElseThrow();
            Content content = page.statusCode() == 304 ? Objects.requireNonNull(tags.get(tag)) : Content.of(page);
            assertThat(tags.computeIfAbsent(tag, _ -> content)).as("an ETag identifies one page").isEqualTo(content);
            knownTags.put(query, tag);
            readings.add(new Reading(query, content, before));
        }
        return null;
    }

    /// Asserts that the page has the next animals without a gap. Unless it has a `Link`, it must have every animal that was acknowledged
    /// before the request.
    private void check(Reading reading) {
        Query query = reading.query();
        List<Long> matching = animals.tailMap(query.after(), false).keySet().stream()
                .filter(id -> query.status().isEmpty() || query.status().get().equals(statuses.get(id))).toList();
        List<Long> shown = ID.matcher(reading.content().body()).results().map(PagesTest::id).toList();
        assertThat(shown).hasSizeLessThanOrEqualTo(query.limit());
        assertThat(reading.content().body()).isEqualTo(matching.stream().limit(shown.size()).map(animals::get)
                .collect(Collectors.joining(",", "[", "]")));
        boolean hasNext = !reading.content().link().isEmpty();
        assertThat(shown.size() == query.limit() || !hasNext).isTrue();
        Optional<Long> next = matching.stream().skip(shown.size()).findFirst();
        if (hasNext) {
            assertThat(next).isPresent();
            assertThat(reading.content().link()).isEqualTo(query.linkAfter(shown.getLast()));
        } else {
            assertThat(next.orElse(Long.MAX_VALUE)).as("animal missing in %s", reading)
                    .isGreaterThan(reading.acknowledged());
        }
    }

    private static long id(MatchResult match) {
        return Long.parseLong(match.group(1));
    }
}
