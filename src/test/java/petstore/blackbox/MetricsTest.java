package petstore.blackbox;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.KeyToken;
import petstore.Scope;
import petstore.store.SqlStore;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.RawClient;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;
import petstore.testkit.TestStore;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// Metrics of the admin listener, and the version and checks that `/readyz` reports.
class MetricsTest extends AbstractServiceTest {

    private static final Pattern METRIC = Pattern
            .compile("\\b(?:http_server|petstore|jvm|process|system)_[a-z_]+(?=[{}\\[ )])");

    private static final Pattern LOOKS = Pattern
            .compile("\npetstore_store_batch_duration_seconds_count\\{queue=\"store-check\"} (\\d+)\n");

    private static final int MAX_ATTEMPTS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @BeforeEach
    void sendRequests() {
        client.post("{\"name\":\"Rex\",\"categoryId\":1}");
        for (int i = 0; i < 4; i++) {
            client.get("/v1/pets");
        }
        client.get("/v1/pets/1");
        client.get("/v1/pets/2");
        client.get("/v1/nothing/like-this");
        client.withKey("").get("/v1/pets");
        client.send("DELETE", "/v1/pets/1", new byte[0]);
    }

    /// Returns the metrics when no other request is in flight. The service counts a request after it sends the response, which its
    /// client may read earlier.
    private String metrics() {
        ApiClient admin = new ApiClient(service.adminPort(), "");
        return Stream.generate(() -> admin.get("/metrics").body()).limit(MAX_ATTEMPTS)
                .filter(text -> text.contains("\nhttp_server_active_requests 1.0\n")).findFirst().orElseThrow();
    }

    @Test
    void countsRequestsByMethodStatusAndRoute() {
        assertThat(metrics().lines()).contains(
                requestCount("POST", "201", "/v1/pets") + " 1", requestCount("GET", "200", "/v1/pets") + " 4",
                requestCount("GET", "200", "/v1/pets/{petId}") + " 1",
                requestCount("GET", "404", "/v1/pets/{petId}") + " 1",
                requestCount("GET", "401", "/v1/pets") + " 1", requestCount("GET", "404", "unmatched") + " 1",
                requestCount("DELETE", "405", "/v1/pets/{petId}") + " 1",
                "petstore_refused_requests_total{reason=\"unauthorized\"} 1.0",
                "petstore_refused_requests_total{reason=\"not_found\"} 2.0",
                "petstore_refused_requests_total{reason=\"internal_error\"} 0.0",
                "petstore_deprecated_requests_total{key=\"configured\",route=\"/v1/pets/{petId}\"} 2.0",
                "petstore_store_batch_size_count{queue=\"catalogue-writer\"} 1");
    }

    /// The last page is kept by the second or the third of four requests: after a pause of a second, the second one reads its version.
    @Test
    void countsPagesFromMemoryAndFromStore() throws IOException {
        String requests = "petstore_page_cache_requests_total";
        metrics();
        int hits = service.metric(requests + "{result=\"hit\"}");
        assertThat(hits).isBetween(1, 2);
        assertThat(service.metric(requests + "{result=\"miss\"}")).isEqualTo(4 - hits);
    }

    @Test
    void countsRequestThatClosesItsConnection() throws IOException {
        try (RawClient client = new RawClient(service.port())) {
            client.send(BadRequest.post(BadRequest.PET).replace("Host", "Connection: close\r\nHost"));
            assertThat(client.response().orElseThrow().status()).isEqualTo(201);
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(metrics().lines()).contains(requestCount("POST", "201", "/v1/pets") + " 2");
    }

    private static String requestCount(String method, String status, String route) {
        return "http_server_request_duration_seconds_count{http_request_method=\"" + method
                + "\",http_response_status_code=\"" + status + "\",http_route=\"" + route + "\"}";
    }

    @Test
    void usesHistogramBucketsOfOpenTelemetry() {
        String prefix = "http_server_request_duration_seconds_bucket{http_request_method=\"POST\","
                + "http_response_status_code=\"201\",http_route=\"/v1/pets\",le=\"";
        assertThat(metrics().lines().filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length(), line.indexOf('"', prefix.length()))))
                .containsExactly("0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1.0", "2.5",
                        "5.0", "7.5", "10.0", "+Inf");
    }

    @Test
    void replacesUnknownMethodsAndPathsInLabels() {
        for (int i = 0; i < 20; i++) {
            client.get("/v1/nothing-" + i);
            client.send("MADE-UP-" + i, "/v1/pets", new byte[0]);
        }
        assertThat(metrics()).doesNotContain("nothing-").doesNotContain("MADE-UP")
                .contains("http_request_method=\"_OTHER\"");
    }

    @Test
    void countsAtMost100KeysSeparately() {
        int keys = 110;
        try (SqlStore store = TestStore.open(folder)) {
            for (int i = 0; i < keys; i++) {
                KeyToken token = KeyToken.random();
                store.keys().add(ApiKey.issued(token, "test" + i, Set.of(Scope.READ), Instant.now(), Optional.empty(),
                        Optional.empty()));
                assertThat(service.client().withKey(token.text()).get("/v1/pets/1").statusCode()).isEqualTo(200);
            }
        }
        List<String> lines = metrics().lines().filter(line -> line.startsWith("petstore_deprecated_requests_total{"))
                .toList();
        assertThat(lines).hasSize(100 + 1).contains(
                "petstore_deprecated_requests_total{key=\"other\",route=\"/v1/pets/{petId}\"} " + (keys - 99) + ".0");
    }

    @Test
    void countsCreatesWithoutIdempotencyKey() {
        String pet = "{\"name\":\"Tom\",\"categoryId\":2}";
        client.post(pet);
        client.post(pet, "Idempotency-Key", "k");
        client.post("{}");
        assertThat(metrics().lines().filter(line -> line.startsWith("petstore_unkeyed_creates_total{")))
                .containsExactly("petstore_unkeyed_creates_total{key=\"configured\",route=\"/v1/pets\"} 2.0");
    }

    @Test
    void countsGarbageCollections() {
        double before = garbageCollections();
        System.gc();
        assertThat(garbageCollections()).isGreaterThan(before);
    }

    private double garbageCollections() {
        return metrics().lines().filter(line -> line.startsWith("jvm_gc_duration_seconds_count{jvm_gc_name="))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    @Test
    void exposesEveryMetricOfDashboardAndAlerts() throws IOException {
        assumeThat(TestStore.database(folder)).as("only the embedded store has all metrics").isEmpty();
        Set<String> exposed = metricNames(everyMetric());
        for (String file : new String[]{"deploy/grafana-dashboard.json", "deploy/alerts.yaml"}) {
            assertThat(metricNames(Files.readString(Path.of(file)))).as(file).isNotEmpty().isSubsetOf(exposed);
        }
    }

    /// Returns the metrics of a service with TLS whose store has a backup.
    private String everyMetric() {
        Path other = folder.resolve("other");
        CommandLines.run(other, "keys", "create", "--name", "x");
        CommandLines.run(other, "backup", folder.resolve("backup.db").toString());
        try (TestService complete = TestService.start(other, Clock.systemUTC(),
                http -> http.tls(TestCertificate.ec().write(folder)))) {
            return new ApiClient(complete.adminPort(), "").get("/metrics").body() + metrics();
        }
    }

    /// Promtool checks the conventions for names and descriptions of metrics.
    @Test
    void passesPromtoolCheck() throws IOException, InterruptedException {
        assumeThat(Tools.isInstalled("promtool")).as("promtool is installed").isTrue();
        Process promtool = new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
        try (OutputStream in = promtool.getOutputStream()) {
            in.write(metrics().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(promtool.waitFor()).isZero();
    }

    @Test
    void exposesBuildInformation() {
        assertThat(metrics()).containsPattern(
                "\npetstore_build_info\\{commit=\"\\w+\",java=\"25[^\"]*\",version=\"[^\"]+\"\\} 1\n");
    }

    @Test
    void countsConnectionsByState() throws IOException {
        service.awaitNoRequest();
        int idleBefore = connections("idle");
        try (RawClient idle = new RawClient(service.port()); RawClient active = new RawClient(service.port())) {
            idle.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(idle.response().orElseThrow().status()).isEqualTo(200);
            active.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
                    + "\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(connections("active")).isEqualTo(1);
                assertThat(connections("idle")).isEqualTo(idleBefore + 1);
            });
        }
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(connections("active")).isZero();
            assertThat(connections("idle")).isEqualTo(idleBefore);
        });
    }

    private int connections(String state) {
        return service.metric("petstore_connections{listener=\"api\",state=\"" + state + "\"}");
    }

    @Test
    void omitsMetricsWithoutValue() {
        boolean embedded = TestStore.database(folder).isEmpty();
        String metrics = metrics();
        assertThat(metrics.contains("\npetstore_store_free_bytes ")).isEqualTo(embedded);
        assertThat(metrics).contains("\npetstore_store_size_bytes ").doesNotContain("petstore_last_backup",
                "petstore_certificate_expiry");
        if (embedded) {
            String free = metrics.replaceFirst("(?s).*\npetstore_store_free_bytes (\\S+)\n.*", "$1");
            assertThat(Double.parseDouble(free)).isBetween(1e6, (double) folder.toFile().getTotalSpace());
        }
    }

    /// A background task reads the time of the backup. A scrape returns the value that the task read last.
    @Test
    void reportsBackupMadeWhileServiceRuns() {
        assumeThat(TestStore.database(folder)).as("only the embedded store has backups").isEmpty();
        long before = Instant.now().getEpochSecond();
        CommandLines.run(folder, "backup", folder.resolve("backup.db").toString());
        Pattern metric = Pattern.compile("\npetstore_last_backup_timestamp_seconds (\\S+)\n");
        await().atMost(PATIENCE).untilAsserted(() -> {
            Matcher found = metric.matcher(metrics());
            assertThat(found.find()).isTrue();
            assertThat(Double.parseDouble(found.group(1))).isBetween((double) before, before + 60.0);
        });
    }

    private static Set<String> metricNames(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    /// A look at the store serves the requests of a second on both listeners, one after the other and at the same time. Those that
    /// arrive during a look are one more group.
    @Test
    void looksAtStoreOnceASecondForReadiness() {
        Instant began = Instant.now();
        long before = looks();
        for (int round = 0; round < 20; round++) {
            List<CompletableFuture<Integer>> statuses = IntStream.range(0, 20)
                    .mapToObj(i -> new ApiClient(i % 2 == 0 ? service.port() : service.adminPort(), ""))
                    .map(client -> CompletableFuture.supplyAsync(() -> client.get("/readyz").statusCode(),
                            Thread::startVirtualThread))
                    .toList();
            statuses.forEach(status -> assertThat(status.join()).isEqualTo(200));
        }
        assertThat(looks() - before).isBetween(1L, 2 * (1 + Duration.between(began, Instant.now()).toSeconds()));
    }

    private long looks() {
        Matcher count = LOOKS.matcher(metrics());
        assertThat(count.find()).isTrue();
        return Long.parseLong(count.group(1));
    }

    @Test
    void reportsVersionOnAdminListenerOnly() {
        assertThat(new ApiClient(service.adminPort(), "").get("/readyz").body())
                .matches("\\{\"status\":\"ready\",\"version\":\"[^\"]+\"}");
        assertThat(new ApiClient(service.port(), "").get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
        assertThat(new ApiClient(service.port(), "").get("/readyz?verbose").body()).startsWith("[+] ");
    }
}
