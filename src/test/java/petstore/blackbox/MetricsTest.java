package petstore.blackbox;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

class MetricsTest {

    private static final Pattern METRIC = Pattern
            .compile("\\b(?:http_server|petstore|jvm|process|system)_[a-z_]+(?=[{}\\[ )])");

    private static final int MOST_LOOKS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private TestService service;

    @BeforeEach
    void start() {
        service = TestService.start(folder);
        ApiClient client = service.client();
        client.post("{\"name\":\"Rex\",\"categoryId\":1}");
        client.get("/v1/pets");
        client.get("/v1/pets");
        client.get("/v1/pets");
        client.get("/v1/pets/1");
        client.get("/v1/pets/2");
        client.get("/v1/nothing/like-this");
        client.withKey("").get("/v1/pets");
        client.send("DELETE", "/v1/pets/1", new byte[0]);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    /// A request is counted when its answer has gone, which its client may see first: the metrics when only this one is left.
    private String metrics() {
        ApiClient admin = new ApiClient(service.adminPort(), "");
        return Stream.generate(() -> admin.get("/metrics").body()).limit(MOST_LOOKS)
                .filter(text -> text.contains("\nhttp_server_active_requests 1.0\n")).findFirst().orElseThrow();
    }

    @Test
    void countsRequestsByWhatTheyWereFor() {
        assertThat(metrics().lines()).contains(
                count("POST", "201", "/v1/pets") + " 1", count("GET", "200", "/v1/pets") + " 3",
                count("GET", "200", "/v1/pets/{petId}") + " 1", count("GET", "404", "/v1/pets/{petId}") + " 1",
                count("GET", "401", "/v1/pets") + " 1", count("GET", "404", "unmatched") + " 1",
                count("DELETE", "405", "/v1/pets/{petId}") + " 1",
                "petstore_refused_requests_total{reason=\"unauthorized\"} 1.0",
                "petstore_refused_requests_total{reason=\"not_found\"} 2.0",
                "petstore_refused_requests_total{reason=\"internal_error\"} 0.0",
                "petstore_deprecated_requests_total{key=\"configured\",route=\"/v1/pets/{petId}\"} 2.0",
                "petstore_page_cache_requests_total{result=\"hit\"} 1.0",
                "petstore_page_cache_requests_total{result=\"miss\"} 2.0",
                "petstore_store_batch_size_count{queue=\"catalogue-writer\"} 1");
    }

    @Test
    void countsTheRequestThatEndsItsConnection() throws IOException {
        String pet = "{\"name\":\"Tom\",\"categoryId\":2}";
        try (RawClient client = new RawClient(service.port())) {
            client.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer "
                    + TestService.KEY + "\r\nContent-Type: application/json\r\nContent-Length: " + pet.length()
                    + "\r\n\r\n" + pet);
            assertThat(client.response().orElseThrow().status()).isEqualTo(201);
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(metrics().lines()).contains(count("POST", "201", "/v1/pets") + " 2");
    }

    private static String count(String method, String status, String route) {
        return "http_server_request_duration_seconds_count{http_request_method=\"" + method
                + "\",http_response_status_code=\"" + status + "\",http_route=\"" + route + "\"}";
    }

    @Test
    void hasTheBucketsOfOpenTelemetry() {
        String first = "http_server_request_duration_seconds_bucket{http_request_method=\"POST\","
                + "http_response_status_code=\"201\",http_route=\"/v1/pets\",le=\"";
        assertThat(metrics().lines().filter(line -> line.startsWith(first))
                .map(line -> line.substring(first.length(), line.indexOf('"', first.length()))))
                .containsExactly("0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1.0", "2.5",
                        "5.0", "7.5", "10.0", "+Inf");
    }

    @Test
    void clientsCannotMakeLabels() {
        ApiClient client = service.client();
        for (int i = 0; i < 20; i++) {
            client.get("/v1/nothing-" + i);
            client.send("MADE-UP-" + i, "/v1/pets", new byte[0]);
        }
        assertThat(metrics()).doesNotContain("nothing-").doesNotContain("MADE-UP")
                .contains("http_request_method=\"_OTHER\"");
    }

    @Test
    void soManyKeysAreNotToldApart() {
        int keys = 110;
        SecureRandom random = new SecureRandom();
        try (SqlStore store = TestStore.open(folder)) {
            for (int i = 0; i < keys; i++) {
                KeyToken token = KeyToken.random(random);
                store.keys().add(ApiKey.issued(token, "test", Set.of(Scope.READ), Instant.now(), Optional.empty(),
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
    void countsCollectionsOfGarbage() {
        double before = collections();
        System.gc();
        assertThat(collections()).isGreaterThan(before);
    }

    private double collections() {
        return metrics().lines().filter(line -> line.startsWith("jvm_gc_duration_seconds_count{jvm_gc_name="))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    @Test
    void isOnTheAdminListenerAlone() {
        assertThat(new ApiClient(service.port(), "").get("/metrics").statusCode()).isEqualTo(404);
    }

    @Test
    void whatIsShownAndWatchedExists() throws IOException {
        assumeThat(TestStore.database(folder)).as("the embedded store has all metrics").isEmpty();
        Set<String> there = named(everyMetric());
        for (String file : new String[]{"deploy/grafana-dashboard.json", "deploy/alerts.yaml"}) {
            assertThat(named(Files.readString(Path.of(file)))).as(file).isNotEmpty().isSubsetOf(there);
        }
    }

    /// Returns the metrics of a service with TLS whose store has a backup.
    private String everyMetric() {
        Path other = folder.resolve("other");
        CommandLines.run(other, "keys", "create", "--name", "x");
        CommandLines.run(other, "backup", folder.resolve("backup.db").toString());
        try (TestService whole = TestService.start(other, Clock.systemUTC(),
                http -> http.tls(TestCertificate.make(folder, "EC").write(folder)))) {
            return new ApiClient(whole.adminPort(), "").get("/metrics").body() + metrics();
        }
    }

    /// Promtool knows how metrics are named and described.
    @Test
    void promtoolHasNothingToSay() throws IOException, InterruptedException {
        assumeThat(Tools.have("promtool")).as("there is promtool").isTrue();
        Process promtool = new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
        try (OutputStream in = promtool.getOutputStream()) {
            in.write(metrics().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(promtool.waitFor()).isZero();
    }

    @Test
    void everyMetricOfTheServiceIsDescribed() {
        List<String> lines = metrics().lines().toList();
        for (String metric : named(String.join("\n", lines))) {
            assertThat(lines).as(metric).anyMatch(line -> line.matches(
                    "# HELP " + metric.replaceFirst("_(count|sum|bucket)$", "") + "(_seconds|_size)? .*\\w.*"));
        }
    }

    @Test
    void namesTheBuild() {
        assertThat(metrics()).containsPattern(
                "\npetstore_build_info\\{commit=\"\\w+\",java=\"25[^\"]*\",version=\"[^\"]+\"\\} 1\n");
    }

    @Test
    void countsConnectionsByState() throws IOException {
        service.awaitNoRequest();
        int idle = state("idle");
        try (RawClient waiting = new RawClient(service.port()); RawClient asking = new RawClient(service.port())) {
            waiting.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(waiting.response().orElseThrow().status()).isEqualTo(200);
            asking.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
                    + "\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(state("active")).isEqualTo(1);
                assertThat(state("idle")).isEqualTo(idle + 1);
            });
        }
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(state("active")).isZero();
            assertThat(state("idle")).isEqualTo(idle);
        });
    }

    private int state(String state) {
        String metric = "petstore_connections_by_state{listener=\"api\",state=\"" + state + "\"} ";
        return new ApiClient(service.adminPort(), "").get("/metrics").body().lines()
                .filter(line -> line.startsWith(metric))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(metric.length()))).sum();
    }

    @Test
    void showsTheDiskOfAnEmbeddedStoreAndNoBackupThatIsNotThere() {
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

    /// A scrape reads what a task has read.
    @Test
    void showsABackupThatIsMadeBesideTheService() {
        assumeThat(TestStore.database(folder)).as("backup is for the embedded store").isEmpty();
        long before = Instant.now().getEpochSecond();
        CommandLines.run(folder, "backup", folder.resolve("backup.db").toString());
        Pattern metric = Pattern.compile("\npetstore_last_backup_timestamp_seconds (\\S+)\n");
        await().atMost(PATIENCE).untilAsserted(() -> {
            Matcher found = metric.matcher(metrics());
            assertThat(found.find()).isTrue();
            assertThat(Double.parseDouble(found.group(1))).isBetween((double) before, before + 60.0);
        });
    }

    private static Set<String> named(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void saysToAPersonWhatItLooksAtBeforeItIsReady() {
        assertThat(new ApiClient(service.adminPort(), "").get("/readyz?verbose").body())
                .contains("[+] the store can be written").endsWith("ready\n").startsWith("version ");
    }

    @Test
    void theVersionIsForOperatorsAlone() {
        assertThat(new ApiClient(service.adminPort(), "").get("/readyz").body())
                .matches("\\{\"status\":\"ready\",\"version\":\"[^\"]+\"}");
        assertThat(new ApiClient(service.port(), "").get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
        assertThat(new ApiClient(service.port(), "").get("/readyz?verbose").body()).startsWith("[+] ");
    }
}
