package petstore.blackbox;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.handler.codec.http2.Http2Error;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.ConcurrentClients;
import petstore.testkit.RawClient;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.ServedContract;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;
import petstore.testkit.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The API over TLS: HTTP/1.1, HTTP/2, certificate renewal, and clients that are slow at each step.
class TlsTest {

    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SLACK = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int SCRIPTS = 4;
    private static final String[] POST = {":method", "POST", ":scheme", "https", ":path", "/v1/pets", ":authority",
            "localhost", "authorization", "Bearer " + TestService.KEY, "content-type", "application/json"};

    private static final String[] LIVEZ = {":method", "GET", ":scheme", "https", ":path", "/livez", ":authority", "x"};

    private static TestCertificate ec;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeCertificate() {
        ec = TestCertificate.ec();
    }

    private TestService start(UnaryOperator<TestSettings> change) {
        return start(ec.write(folder), change);
    }

    /// Starts a service in its own folder, so that several services can run at the same time.
    private TestService startIn(String name, Deadlines deadlines) throws IOException {
        Path serviceFolder = Files.createDirectory(folder.resolve(name));
        TlsFiles files = ec.write(serviceFolder);
        return TestService.start(serviceFolder.resolve("data"), Clock.systemUTC(),
                http -> http.deadlines(deadlines).tls(files));
    }

    private TestService start(TlsFiles files, UnaryOperator<TestSettings> change) {
        return TestService.start(folder.resolve("data"), Clock.systemUTC(), http -> change.apply(http.tls(files)));
    }

    private static HttpResponse<String> send(HttpClient client, int port, String method, String path, String key,
            String body) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path)).timeout(LONG)
                        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                        .header("Authorization", "Bearer " + key).header("Content-Type", "application/json").build(),
                BodyHandlers.ofString());
        ServedContract.verify(method, path, response.statusCode(), response.headers().map(), response.body());
        assertThat(response.headers().allValues("Strict-Transport-Security")).containsExactly("max-age=31536000");
        return response;
    }

    @ParameterizedTest
    @EnumSource(value = HttpClient.Version.class, names = {"HTTP_1_1", "HTTP_2"})
    void respondsAsWithoutTls(HttpClient.Version version) throws IOException, InterruptedException {
        try (TestService service = start(UnaryOperator.identity());
                HttpClient client = HttpClient.newBuilder().version(version).sslContext(ec.trusted()).build()) {
            String key = TestService.KEY;
            int port = service.port();
            HttpResponse<String> added = send(client, port, "POST", "/v1/pets", key, PET);
            assertThat(added.version()).isEqualTo(version);
            assertThat(added.statusCode()).isEqualTo(201);
            assertThat(added.headers().allValues("Location")).containsExactly("/v1/pets/1");
            assertThat(send(client, port, "GET", "/v1/pets", key, "").body()).contains("Whiskers");
            HttpResponse<String> head = send(client, port, "HEAD", "/v1/pets", key, "");
            assertThat(head.body()).isEmpty();
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(send(client, port, "GET", "/v1/pets/1", key, "").headers().firstValue("Deprecation"))
                    .isPresent();
            assertThat(send(client, port, "GET", "/v1/pets?limit=x", key, "").statusCode()).isEqualTo(400);
            assertThat(send(client, port, "POST", "/v1/pets", key, "{}").statusCode()).isEqualTo(400);
            for (String body : List.of(PET, "{}")) {
                String fresh = CommandLines.run(folder.resolve("data"), "keys", "create", "--name",
                        "fresh" + body.length());
                assertThat(send(client, port, "POST", "/v1/pets", fresh, body).statusCode())
                        .as("with a key that is read from the store").isEqualTo(body.equals(PET) ? 201 : 400);
            }
            assertThat(send(client, port, "GET", "/v1/pets", "none", "").statusCode()).isEqualTo(401);
            assertThat(send(client, port, "GET", "/nothing", key, "").statusCode()).isEqualTo(404);
            assertThat(send(client, port, "PUT", "/v1/pets", key, PET).statusCode()).isEqualTo(405);
            assertThat(send(client, port, "POST", "/v1/pets", key, " ".repeat(300_000)).statusCode()).isEqualTo(413);
            assertThat(send(client, port, "GET", "/v1/pets", key, "").statusCode()).isEqualTo(200);
            assertThat(new ApiClient(service.adminPort(), "").get("/readyz").statusCode())
                    .as("the admin listener does not use TLS").isEqualTo(200);
            service.awaitNoRequest();
        }
    }

    @Test
    void sendsHstsAndCorsHeaders() throws IOException, InterruptedException {
        String shop = "https://shop.example";
        try (TestService service = start(http -> http.corsOrigins(shop));
                HttpClient client = HttpClient.newBuilder().sslContext(ec.trusted()).build()) {
            HttpResponse<String> response = client.send(HttpRequest
                    .newBuilder(URI.create("https://127.0.0.1:" + service.port() + "/v1/pets")).timeout(LONG)
                    .header("Origin", shop).build(), BodyHandlers.ofString());
            assertThat(response.headers().allValues("Strict-Transport-Security")).containsExactly("max-age=31536000");
            assertThat(response.headers().allValues("Access-Control-Allow-Origin")).containsExactly(shop);
        }
    }

    /// Returns the certificate of a new connection.
    private static Certificate servedCertificate(int port) throws IOException {
        try (SSLSocket socket = connect(port)) {
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    private static SSLSocket connect(int port) throws IOException {
        SSLSocket socket = (SSLSocket) TestCertificate.trustingAll().getSocketFactory().createSocket("127.0.0.1",
                port);
        socket.setSoTimeout(30_000);
        socket.startHandshake();
        return socket;
    }

    @Test
    void refusesVersionsBeforeTls12() throws IOException {
        String body = "0302" + "00".repeat(32) + "00" + "0004c013002f" + "0100";
        String hello = "01" + HexFormat.of().toHexDigits(body.length() / 2, 6) + body;
        String tls11 = "160301" + HexFormat.of().toHexDigits(hello.length() / 2, 4) + hello;
        try (TestService service = start(UnaryOperator.identity()); RawClient client = new RawClient(service.port())) {
            client.send(HexFormat.of().parseHex(tls11));
            byte[] alert = client.socket().getInputStream().readNBytes(7);
            assertThat(alert).hasSize(7);
            assertThat(alert[0]).as("record type alert").isEqualTo((byte) 21);
            assertThat(alert[6]).as("alert protocol_version").isEqualTo((byte) 70);
        }
        try (TestService service = start(UnaryOperator.identity()); SSLSocket client = connect(service.port())) {
            assertThat(client.getSession().getProtocol()).isEqualTo("TLSv1.3");
        }
    }

    @Test
    void renewsCertificateWithoutClosingConnections() throws IOException {
        TestCertificate next = TestCertificate.rsa();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("petstore.http.server.tls.Tls");
        logger.addAppender(log);
        try (TestService service = start(UnaryOperator.identity()); SSLSocket kept = connect(service.port())) {
            assertThat(isResponding(kept)).isTrue();
            assertThat(servedCertificate(service.port())).isEqualTo(ec.der());
            assertThat(expiry(service)).isEqualTo(ec.der().getNotAfter().toInstant().getEpochSecond());
            TlsFiles files = next.write(folder);
            awaitCertificate(service.port(), next.der());
            assertThat(expiry(service)).isEqualTo(next.der().getNotAfter().toInstant().getEpochSecond());
            assertThat(isResponding(kept)).as("on a connection from before the renewal").isTrue();

            Files.writeString(files.key(), next.key().substring(0, 100));
            awaitRefusedRenewal(log, "PEM");
            assertThat(servedCertificate(service.port())).as("while the key file is incomplete").isEqualTo(next.der());
            new TestCertificate(ec.certificate() + next.certificate(), ec.key(), ec.der()).write(folder);
            awaitRefusedRenewal(log, files.certificate() + " (--tls-certificate) are no chain");
            assertThat(servedCertificate(service.port())).as("while the chain is unrelated").isEqualTo(next.der());
            assertThat(expiry(service)).isEqualTo(next.der().getNotAfter().toInstant().getEpochSecond());
            ec.write(folder);
            awaitCertificate(service.port(), ec.der());
            assertThat(isResponding(kept)).isTrue();
        } finally {
            logger.detachAppender(log);
        }
    }

    /// Returns the metric of the certificate's expiry, in seconds since 1970.
    private static long expiry(TestService service) {
        String metric = "petstore_certificate_expiry_timestamp_seconds ";
        return (long) Double.parseDouble(new ApiClient(service.adminPort(), "").get("/metrics").body().lines()
                .filter(line -> line.startsWith(metric)).findFirst().orElseThrow().substring(metric.length()));
    }

    /// Waits until the service logs that the new files are invalid.
    private static void awaitRefusedRenewal(ListAppender<ILoggingEvent> log, String reason) {
        await().atMost(PATIENCE).until(() -> log.list.stream().map(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.startsWith("the TLS certificate was not renewed") && line.contains(reason)));
    }

    private static void awaitCertificate(int port, Certificate expected) {
        await().atMost(PATIENCE).until(() -> servedCertificate(port).equals(expected));
    }

    private static boolean isResponding(SSLSocket socket) throws IOException {
        socket.getOutputStream()
                .write("HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] response = new byte[1_000];
        int length = socket.getInputStream().read(response);
        return length > 0 && new String(response, 0, length, StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200 ");
    }

    /// Each client waits for a deadline of its own service.
    @TestFactory
    Stream<DynamicTest> enforcesDeadlines() throws InterruptedException {
        ConcurrentClients clients = new ConcurrentClients();
        clients.add("closes connections whose handshake is not finished in time", this::closesUnfinishedHandshakes);
        clients.add("resets late streams and keeps their connection", this::resetsOnlyLateStreams);
        clients.add("resets streams whose response is not read", this::resetsStreamsWithUnreadResponses);
        clients.add("closes idle connections despite PING frames", this::closesIdleConnectionsDespitePings);
        return clients.run();
    }

    private void closesUnfinishedHandshakes() throws IOException {
        try (TestService service = startIn("closesUnfinishedHandshakes", new Deadlines(LONG, SHORT, LONG))) {
            Instant started = Instant.now();
            try (RawClient silent = new RawClient(service.port());
                    RawClient half = new RawClient(service.port());
                    SSLSocket noRequest = connect(service.port());
                    RawHttp2Client noPreface = new RawHttp2Client(service.port());
                    RawHttp2Client noStream = new RawHttp2Client(service.port()).begin()) {
                half.send(HexFormat.of().parseHex("16030100"));
                assertThat(silent.isClosedByServer()).isTrue();
                assertThat(half.isClosedByServer()).isTrue();
                assertThat(noRequest.getInputStream().read()).isEqualTo(-1);
                assertThat(noPreface.await(RawHttp2Client.DATA)).isEmpty();
                assertThat(noStream.await(RawHttp2Client.GOAWAY)).isPresent();
                assertThat(noStream.await(RawHttp2Client.DATA)).isEmpty();
            }
            assertThat(Duration.between(started, Instant.now())).isBetween(SHORT, SHORT.plus(SLACK));
        }
    }

    @Test
    void respondsToOptionsWithAsteriskByHttp2() throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            client.request(1, true, ":method", "OPTIONS", ":scheme", "https", ":path", "*", ":authority", "localhost");
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(204);
        }
    }

    @Test
    void displacesConnectionsBeforeHandshakeAfterSecond() throws IOException {
        try (TestService service = start(http -> http.maxConnections(3))) {
            List<RawClient> silent = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                silent.add(new RawClient(service.port()));
            }
            await().atMost(PATIENCE)
                    .until(() -> service.metric("petstore_refused_connections_total{listener=\"api\"}") == 1);
            await().atMost(PATIENCE).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> servedCertificate(service.port()).equals(ec.der()));
            assertThat(service.metric("petstore_displaced_connections_total{listener=\"api\"}")).isEqualTo(1);
            for (RawClient client : silent) {
                client.close();
            }
        }
    }

    /// The client may repeat a request on another connection if its stream is greater than the last stream of GOAWAY.
    @Test
    void displacesHttp2ConnectionsWithLastStream() throws IOException {
        try (TestService service = start(http -> http.maxConnections(2));
                RawHttp2Client first = new RawHttp2Client(service.port()).begin();
                RawHttp2Client busy = new RawHttp2Client(service.port()).begin()) {
            for (int stream : new int[]{1, 3}) {
                first.request(stream, true, LIVEZ);
                assertThat(first.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            }
            busy.request(1, true, LIVEZ);
            assertThat(busy.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            busy.request(3, false, POST);
            try (SSLSocket newest = connect(service.port())) {
                assertThat(isResponding(newest)).isTrue();
                Frame goAway = first.await(RawHttp2Client.GOAWAY).orElseThrow();
                assertThat(goAway.payload().getInt(0)).isEqualTo(3);
                assertThat(goAway.errorCode()).isZero();
                assertThat(first.await(RawHttp2Client.HEADERS)).isEmpty();
                busy.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, 3, PET.getBytes(StandardCharsets.US_ASCII));
                assertThat(busy.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(201);
            }
            assertThat(service.metric("petstore_displaced_connections_total{listener=\"api\"}")).isEqualTo(1);
        }
    }

    private void resetsOnlyLateStreams() throws IOException, InterruptedException {
        try (TestService service = startIn("resetsOnlyLateStreams", new Deadlines(LONG, LONG, SHORT));
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            Instant started = Instant.now();
            client.request(1, false, POST).request(3, false, POST);
            for (int i = 0; i < 2; i++) {
                assertThat(client.await(RawHttp2Client.RST_STREAM).orElseThrow().errorCode()).isEqualTo(8);
            }
            assertThat(Duration.between(started, Instant.now())).isBetween(SHORT, SHORT.plus(SLACK));
            client.request(5, true, "no", "thing").request(7, false, POST).send(RawHttp2Client.DATA,
                    RawHttp2Client.END_STREAM, 7, PET.replace("7", "\"7\"").getBytes(StandardCharsets.US_ASCII));
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(400);
            service.awaitNoRequest();
        }
    }

    /// The service has written the response long before the deadline, but the client does not read it.
    private void resetsStreamsWithUnreadResponses() throws IOException, InterruptedException {
        try (TestService service = startIn("resetsStreamsWithUnreadResponses", new Deadlines(LONG, LONG, SHORT));
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            // The windows of the streams have one byte.
            client.send(RawHttp2Client.SETTINGS, 0, 0, (byte) 0, (byte) 4, (byte) 0, (byte) 0, (byte) 0, (byte) 1);
            Instant started = Instant.now();
            client.request(1, true, ":method", "GET", ":scheme", "https", ":path", "/v1/pets", ":authority",
                    "localhost");
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(401);
            assertThat(client.await(RawHttp2Client.RST_STREAM).orElseThrow().errorCode()).isEqualTo(8);
            assertThat(Duration.between(started, Instant.now())).isBetween(SHORT, SHORT.plus(SLACK));
            service.awaitNoRequest();
            client.request(3, true, ":method", "HEAD", ":scheme", "https", ":path", "/livez", ":authority",
                    "localhost");
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).as("another stream").isEqualTo(200);
        }
    }

    private void closesIdleConnectionsDespitePings() throws IOException, InterruptedException {
        try (TestService service = startIn("closesIdleConnectionsDespitePings", new Deadlines(SHORT, LONG, LONG));
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            Instant started = Instant.now();
            client.request(1, true, ":method", "GET", ":scheme", "https", ":path", "/livez", ":authority", "localhost");
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            Thread pings = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        client.send(RawHttp2Client.PING, 0, 0, new byte[8]);
                        TimeUnit.MILLISECONDS.sleep(50);
                    }
                } catch (IOException | InterruptedException e) {
                    // The server closed the connection.
                }
            });
            assertThat(client.await(RawHttp2Client.GOAWAY)).isPresent();
            assertThat(client.await(RawHttp2Client.HEADERS)).isEmpty();
            assertThat(Duration.between(started, Instant.now())).isBetween(SHORT, SHORT.plus(SLACK));
            pings.join();
        }
    }

    @Test
    void refusesHttp2HeadsThatHttp1Forbids() throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            RawHttp2Client.Frame settings = client.await(RawHttp2Client.SETTINGS).orElseThrow();
            assertThat(HexFormat.of().formatHex(settings.payload().array())).as("at most 100 streams")
                    .contains("000300000064");
            List<String[]> heads = List.of(new String[]{":path", "/livez", "x", "y"},
                    new String[]{":path", "livez", ":authority", "localhost"},
                    new String[]{":path", "*", ":authority", "localhost"},
                    new String[]{":path", "/livez", ":authority", "[1:2:3]"},
                    new String[]{":path", "/livez", ":authority", "a@localhost"},
                    new String[]{":path", "/livez", "host", "[1:2:3]"},
                    new String[]{":path", "/livez", ":authority", "a", "host", "b"},
                    new String[]{":path", "/livez", ":authority", "a", "host", "a:80"},
                    new String[]{":path", "/livez", ":authority", "a:443", "host", "a:444"},
                    new String[]{":path", "/livez", ":authority", "a", "host", "a:b"},
                    new String[]{":path", "/livez", ":authority", "a", "host", "a", "host", "a"},
                    new String[]{":path", "/livez?\u00E4", ":authority", "localhost"});
            int stream = 1;
            for (String[] head : heads) {
                client.request(stream, true,
                        Stream.concat(Stream.of(":method", "GET", ":scheme", "https"), Stream.of(head))
                                .toArray(String[]::new));
                RawHttp2Client.Frame response = client.await(RawHttp2Client.HEADERS).orElseThrow();
                assertThat(response.status()).as(String.join(" ", head)).isEqualTo(400);
                assertThat(response.stream()).isEqualTo(stream);
                stream += 2;
            }
            assertThat(statusOf(client, stream, "/livez?" + "x".repeat(5_000), "")).isEqualTo(414);
            assertThat(statusOf(client, stream + 2, "/livez", "x".repeat(8_200))).isEqualTo(431);
            assertThat(statusOf(client, stream + 4, "/livez", "x".repeat(4_000))).isEqualTo(200);
            assertThat(new ApiClient(service.adminPort(), "").get("/metrics").body()).contains(
                    "petstore_refused_requests_total{reason=\"invalid_request\"} " + (heads.size() + 2) + ".0\n",
                    "http_response_status_code=\"431\"");
        }
    }

    /// The host is in `:authority` or, without it, in `Host`.
    @Test
    void acceptsEveryHostFormOfRfc3986() throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            int stream = 1;
            for (String host : List.of("localhost:", "[::ffff:127.0.0.1]:443", "[::1:2:3:4:5:6:7]", "[v1.a]")) {
                for (String field : List.of(":authority", "host")) {
                    client.request(stream, true, ":method", "GET", ":scheme", "https", ":path", "/livez", field, host);
                    assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).as(host).isEqualTo(200);
                    stream += 2;
                }
            }
        }
    }

    /// `:authority` and `Host` may differ in case and by the default port of `:scheme`.
    @Test
    void acceptsEqualHosts() throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            int stream = 1;
            for (String[] hosts : List.of(new String[]{"https", "Shop.example", "sHOP.EXAMPLE"},
                    new String[]{"https", "shop.example", "SHOP.example:443"},
                    new String[]{"https", "shop.example:0443", "shop.example:"},
                    new String[]{"https", "[::A]:443", "[::a]"},
                    new String[]{"https", "shop.example:8443", "SHOP.EXAMPLE:8443"},
                    new String[]{"http", "[v1.A]:80", "[v1.a]"})) {
                client.request(stream, true, ":method", "GET", ":scheme", hosts[0], ":path", "/livez", ":authority",
                        hosts[1], "host", hosts[2]);
                assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).as(String.join(" ", hosts))
                        .isEqualTo(200);
                stream += 2;
            }
        }
    }

    /// The connection stays open, unlike with HTTP/1.1.
    @Test
    void checksExpectationsOfHttp2() throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            for (int stream = 1; stream <= 3; stream += 2) {
                client.request(stream, false,
                        Stream.concat(Stream.of(POST), Stream.of("expect", "100-continue, 200-ok"))
                                .toArray(String[]::new));
                assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(417);
            }
            client.request(5, false, Stream.concat(Stream.of(POST), Stream.of("expect", "100-Continue,"))
                    .toArray(String[]::new));
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(100);
        }
    }

    private static int statusOf(RawHttp2Client client, int stream, String path, String field) throws IOException {
        client.request(stream, true, ":method", "GET", ":scheme", "https", ":path", path, ":authority", "localhost",
                "x", field);
        return client.await(RawHttp2Client.HEADERS).orElseThrow().status();
    }

    @Test
    void resetsOnlyStreamsWithInvalidMethod() throws IOException, InterruptedException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            client.request(1, false, POST);
            int stream = 3;
            for (String method : List.of("", " ", " GET", "GET ", "GET X", "G\tT", "G\u0000T", "G\u00E2\u0080\u00A8T",
                    "G\"T")) {
                client.request(stream, !method.equals("G\"T"), ":method", method, ":scheme", "https", ":path", "/livez",
                        ":authority", "localhost");
                RawHttp2Client.Frame reset = client.await(RawHttp2Client.RST_STREAM).orElseThrow();
                assertThat(reset.stream()).isEqualTo(stream);
                assertThat(reset.errorCode()).as("PROTOCOL_ERROR").isEqualTo(1);
                stream += 2;
            }
            byte[] body = PET.getBytes(StandardCharsets.US_ASCII);
            client.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, stream - 2, body)
                    .send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, 1, body);
            RawHttp2Client.Frame response = client.await(RawHttp2Client.HEADERS).orElseThrow();
            assertThat(response.stream()).isEqualTo(1);
            assertThat(response.status()).isEqualTo(201);
            assertThat(statusOf(client, stream, "/livez", "")).isEqualTo(200);
            service.awaitNoRequest();
        }
    }

    @Test
    void resetsOnlyStreamsWithInvalidFrames() throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            List<String> head = List.of(":method", "GET", ":scheme", "https", ":path", "/livez");
            int stream = 1;
            for (int missing = 0; missing < head.size(); missing += 2) {
                List<String> rest = new ArrayList<>(head);
                rest.subList(missing, missing + 2).clear();
                rest.addAll(List.of(":authority", "localhost"));
                client.request(stream, true, rest.toArray(String[]::new));
                assertReset(client, stream, Http2Error.PROTOCOL_ERROR);
                stream += 2;
            }
            byte[] none = {0, 0, 0, 0};
            byte[] most = {127, -1, -1, -1};
            client.request(stream, false, POST).send(RawHttp2Client.WINDOW_UPDATE, 0, stream, none);
            assertReset(client, stream, Http2Error.PROTOCOL_ERROR);
            client.request(stream + 2, false, POST).send(RawHttp2Client.WINDOW_UPDATE, 0, stream + 2, most);
            assertReset(client, stream + 2, Http2Error.FLOW_CONTROL_ERROR);
            client.request(stream + 4, false, POST).send(RawHttp2Client.PRIORITY_FRAME, 0, stream + 4, none);
            assertReset(client, stream + 4, Http2Error.FRAME_SIZE_ERROR);
            client.request(stream + 6, false, Stream.concat(Stream.of(POST), Stream.of("content-length", "1"))
                    .toArray(String[]::new)).send(RawHttp2Client.DATA, 0, stream + 6, none);
            assertReset(client, stream + 6, Http2Error.PROTOCOL_ERROR);
            assertThat(statusOf(client, stream + 8, "/livez", "")).isEqualTo(200);
            service.awaitNoRequest();
        }
    }

    private static void assertReset(RawHttp2Client client, int stream, Http2Error error) throws IOException {
        RawHttp2Client.Frame reset = client.await(RawHttp2Client.RST_STREAM).orElseThrow();
        assertThat(reset.stream()).isEqualTo(stream);
        assertThat(Http2Error.valueOf(reset.errorCode())).isEqualTo(error);
    }

    @Test
    void closesConnectionThatResetsManyRequests() throws IOException, InterruptedException {
        try (TestService service = start(UnaryOperator.identity());
                RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            boolean open = true;
            for (int stream = 1; open && stream < 4_000; stream += 2) {
                try {
                    client.request(stream, false, POST).send(RawHttp2Client.RST_STREAM, 0, stream, (byte) 0, (byte) 0,
                            (byte) 0, (byte) 8);
                } catch (IOException e) {
                    open = false;
                }
            }
            assertThat(client.await(RawHttp2Client.DATA)).as("connection is closed").isEmpty();
            service.awaitNoRequest();
        }
    }

    /// A client could fill the log, because it may send any number of invalid frames.
    @Test
    void doesNotLogInvalidFrames() throws IOException {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        Logger rootLogger = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        try (TestService service = start(UnaryOperator.identity())) {
            rootLogger.addAppender(log);
            try (RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
                String[] post = Stream.concat(Stream.of(POST), Stream.of("content-length", "1")).toArray(String[]::new);
                // The second frame exceeds the content length, and the others follow the reset of the stream.
                client.request(1, false, post)
                        .send(Collections.nCopies(10, RawHttp2Client.frame(RawHttp2Client.DATA, 0, 1, (byte) 'x')));
                assertThat(client.await(RawHttp2Client.RST_STREAM)).isPresent();
            }
            // The server closes the connection after 200 resets, most of which are not sent by then.
            try (RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
                client.send(IntStream.range(0, 300).mapToObj(i -> RawHttp2Client.head(2 * i + 1, true, ":method",
                        "B D", ":scheme", "https", ":path", "/", ":authority", "localhost")).toList());
                assertThat(client.await(RawHttp2Client.DATA)).as("connection is closed").isEmpty();
            }
            byte[] frameOfOneByte = {0, 5, 0, 0, 0, 1};
            try (RawHttp2Client client = new RawHttp2Client(service.port()).begin(frameOfOneByte)) {
                assertThat(client.await(RawHttp2Client.GOAWAY).orElseThrow().errorCode()).isEqualTo(1);
                assertThat(client.await(RawHttp2Client.GOAWAY)).as("connection is closed").isEmpty();
            }
        } finally {
            rootLogger.detachAppender(log);
        }
        assertThat(log.list).isEmpty();
    }

    @Test
    void sendsLongResponsesConcurrently() throws IOException {
        try (TestService service = start(http -> http.deadlines(new Deadlines(LONG, LONG, LONG)));
                RawHttp2Client client = withWideWindows(service)) {
            for (int stream = 1; stream < 2 * SCRIPTS; stream += 2) {
                requestScript(client, stream);
            }
            Map<Integer, Integer> bytes = new HashMap<>();
            for (int finished = 0; finished < SCRIPTS;) {
                RawHttp2Client.Frame data = client.await(RawHttp2Client.DATA).orElseThrow();
                bytes.merge(data.stream(), data.payload().remaining(), Integer::sum);
                finished += data.flags() & RawHttp2Client.END_STREAM;
            }
            assertThat(bytes).hasSize(SCRIPTS);
            assertThat(Set.copyOf(bytes.values())).hasSize(1).allMatch(length -> length > 1_000_000);
            service.awaitNoRequest();
        }
    }

    @Test
    void finishesRequestsIfClientDisconnectsDuringResponses() throws IOException {
        try (TestService service = start(http -> http.deadlines(new Deadlines(LONG, LONG, LONG)))) {
            for (int frames = 0; frames < 100; frames += 5) {
                try (RawHttp2Client client = withWideWindows(service)) {
                    for (int stream = 1; stream < 2 * SCRIPTS; stream += 2) {
                        requestScript(client, stream);
                    }
                    for (int i = 0; i < frames; i++) {
                        assertThat(client.await(RawHttp2Client.DATA)).isPresent();
                    }
                }
            }
            service.awaitNoRequest();
        }
    }

    /// Connects a client whose flow-control windows hold all of its responses.
    private static RawHttp2Client withWideWindows(TestService service) throws IOException {
        return new RawHttp2Client(service.port()).begin((byte) 0, (byte) 4, (byte) 64, (byte) 0, (byte) 0, (byte) 0)
                .send(RawHttp2Client.WINDOW_UPDATE, 0, 0, (byte) 63, (byte) 0, (byte) 0, (byte) 0);
    }

    private static void requestScript(RawHttp2Client client, int stream) throws IOException {
        client.request(stream, true, ":method", "GET", ":scheme", "https", ":path", "/docs/swagger-ui-bundle.js",
                ":authority", "localhost");
    }
}
