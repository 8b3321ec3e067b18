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
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.KeyToken;
import petstore.Scope;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.TlsFiles;
import petstore.store.SqlStore;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.ConcurrentClients;
import petstore.testkit.LogLines;
import petstore.testkit.RawClient;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.ServedContract;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;
import petstore.testkit.TestSettings;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static petstore.testkit.RawHttp2Client.LIVEZ;
import static petstore.testkit.RawHttp2Client.POST;

/// The API over TLS: HTTP/1.1, HTTP/2, certificate renewal, and clients that are slow at each step.
class TlsTest {

    private static final String EXPIRY = "petstore_certificate_expiry_timestamp_seconds";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SLACK = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static TestCertificate ec;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeCertificate() {
        ec = TestCertificate.ec();
    }

    private TestService start(UnaryOperator<TestSettings> change) {
        return TestService.start(folder.resolve("data"), Clock.systemUTC(),
                http -> change.apply(http.tls(ec.write(folder))));
    }

    /// Starts a service in its own folder, so that several services can run at the same time.
    private TestService startIn(String name, Deadlines deadlines) throws IOException {
        Path serviceFolder = Files.createDirectory(folder.resolve(name));
        TlsFiles files = ec.write(serviceFolder);
        return TestService.start(serviceFolder.resolve("data"), Clock.systemUTC(),
                http -> http.deadlines(deadlines).tls(files));
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

    /// The body waits while the key is read from the store.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void takesBodyOverHttp2IfKeyIsOfAnotherProcess(boolean together) throws IOException {
        try (TestService service = start(UnaryOperator.identity());
                SqlStore otherProcess = TestStore.open(folder.resolve("data"));
                RawHttp2Client client = new RawHttp2Client(service.port())) {
            KeyToken token = KeyToken.random();
            otherProcess.keys().add(ApiKey.issued(token, "other", EnumSet.allOf(Scope.class), Instant.now(),
                    Optional.empty(), Optional.empty()));
            byte[] head = RawHttp2Client.head(1, false, ":method", "POST", ":scheme", "https", ":path", "/v1/pets",
                    ":authority", "localhost", "authorization", "Bearer " + token.text(), "content-type",
                    "application/json");
            byte[] body = RawHttp2Client.frame(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, 1,
                    PET.getBytes(StandardCharsets.UTF_8));
            client.begin();
            if (together) {
                client.send(List.of(head, body));
            } else {
                client.send(List.of(head)).send(List.of(body));
            }
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(201);
        }
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
    void renewsCertificateWithoutClosingConnections() throws IOException {
        TestCertificate next = TestCertificate.rsa();
        try (LogLines log = new LogLines("petstore.http.server.tls");
                TestService service = start(UnaryOperator.identity());
                SSLSocket kept = connect(service.port())) {
            assertThat(isResponding(kept)).isTrue();
            assertThat(servedCertificate(service.port())).isEqualTo(ec.der());
            assertThat(service.metric(EXPIRY)).isEqualTo(ec.der().getNotAfter().toInstant().getEpochSecond());
            TlsFiles files = next.write(folder);
            awaitCertificate(service.port(), next.der());
            assertThat(service.metric(EXPIRY)).isEqualTo(next.der().getNotAfter().toInstant().getEpochSecond());
            assertThat(isResponding(kept)).as("on a connection from before the renewal").isTrue();

            new TestCertificate(ec.certificate() + next.certificate(), ec.key(), ec.der()).write(folder);
            await().atMost(PATIENCE).until(() -> log.with("the TLS certificate was not renewed"),
                    lines -> lines.stream().anyMatch(line -> line.contains(files.certificate() + " (--tls-cert")));
            assertThat(servedCertificate(service.port())).as("while the chain is unrelated").isEqualTo(next.der());
            assertThat(service.metric(EXPIRY)).isEqualTo(next.der().getNotAfter().toInstant().getEpochSecond());
            ec.write(folder);
            awaitCertificate(service.port(), ec.der());
            assertThat(isResponding(kept)).isTrue();
        }
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
            client.request(1, true, LIVEZ);
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
}
