package petstore.blackbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.telemetry.RequestLog.FinishedRequest;
import petstore.testkit.RawClient;
import petstore.testkit.RawClient.Response;
import petstore.testkit.ServedContract;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Clients and proxies that reach the TLS port with plain HTTP, or with any server name.
class TlsProxiesTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final SSLSocketFactory SOCKETS = TestCertificate.trustingAll().getSocketFactory();
    private static final List<FinishedRequest> LOG = new CopyOnWriteArrayList<>();

    @TempDir
    private static Path folder;
    @AutoClose
    private static TestService service;

    @BeforeAll
    static void start() {
        service = TestService.start(folder.resolve("data"), Clock.systemUTC(),
                http -> http.tls(TestCertificate.ec().write(folder)).deadlines(new Deadlines(LONG, SHORT, LONG)),
                TestService.log(LOG::add));
        // The first handshake loads many classes, which may take longer than the deadline.
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (RawClient client = overTls()) {
                return client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").response().isPresent();
            }
        });
    }

    private static RawClient overTls() throws IOException {
        return new RawClient(SOCKETS.createSocket("127.0.0.1", service.port()));
    }

    /// One certificate serves all names.
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "pet_store", "_", "-pet.store-", "pet store", "127.0.0.1", "p\u00E9t",
            "pet.store.",
            "a..b"})
    void acceptsEveryServerName(String name) throws IOException {
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            try (SSLSocket socket = (SSLSocket) SOCKETS.createSocket("127.0.0.1", service.port())) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setServerNames(List.of(new SNIServerName(0, name.getBytes(StandardCharsets.ISO_8859_1)) {
                }));
                parameters.setProtocols(new String[]{version});
                socket.setSSLParameters(parameters);
                try (RawClient client = new RawClient(socket)) {
                    assertThat(client.send("GET /livez HTTP/1.1\r\nHost: pet_store\r\n\r\n").response().orElseThrow()
                            .status()).isEqualTo(200);
                }
            }
        }
    }

    /// A client may end its output of TLS alone, and not that of TCP.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closesConnectionOnceClientEndsTls(boolean afterResponse) throws IOException {
        try (Socket tcp = new Socket(InetAddress.getLoopbackAddress(), service.port());
                SSLSocket tls = (SSLSocket) SOCKETS.createSocket(tcp, "127.0.0.1", service.port(), false);
                RawClient client = new RawClient(tls)) {
            client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
            if (!afterResponse) {
                tls.shutdownOutput();
            }
            assertThat(client.response().orElseThrow().status()).isEqualTo(200);
            if (afterResponse) {
                tls.shutdownOutput();
            }
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(tcp.isOutputShutdown()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n", "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "SSH-2.0-OpenSSH_9.9\r\n", "\0\0\0\0\0\r\n\r\n"})
    void refusesPlainHttp(String request) throws IOException {
        String metric = "petstore_refused_requests_total{reason=\"invalid_request\"}";
        int before = service.metrics().contains(metric) ? service.metric(metric) : 0;
        service.awaitNoRequest();
        LOG.clear();
        try (RawClient client = new RawClient(service.port())) {
            Response response = client.send(request).response().orElseThrow();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.headers().get("content-type")).containsExactly("application/json");
            assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo("invalid_request");
            assertThat(ServedContract.json(response.body()).get("message").asText())
                    .isEqualTo("this port speaks HTTPS; use an https URL");
            assertThat(response.headers().get("connection")).containsExactly("close");
            assertThat(response.headers()).doesNotContainKey("strict-transport-security");
            client.socket().shutdownOutput();
            assertThat(client.isClosedByServer()).isTrue();
        }
        await().pollInterval(5, MILLISECONDS).atMost(PATIENCE).until(() -> !LOG.isEmpty());
        assertThat(LOG).singleElement().satisfies(logged -> {
            assertThat(logged.status()).isEqualTo(400);
            assertThat(logged.route()).isEqualTo("unmatched");
            assertThat(logged.reason()).contains("this port speaks HTTPS; use an https URL");
        });
        assertThat(service.metric(metric)).isEqualTo(before + 1);
    }

    /// Neither a byte nor half a line of plain text keeps a connection beyond the deadline of a head.
    @ParameterizedTest
    @ValueSource(strings = {"G", "GET /livez HTTP/1.1\r\nHo"})
    void closesUnfinishedPlainHttp(String part) throws IOException {
        Instant started = Instant.now();
        try (RawClient client = new RawClient(service.port())) {
            client.send(part);
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(Duration.between(started, Instant.now())).isBetween(SHORT, SHORT.plusSeconds(5));
    }
}
