package petstore.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/// TLS in a new process: its properties, which Java reads once, and its end.
class TlsIT {

    private static final String KEY = "a-key-for-the-test-of-streams";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final String[] LIVEZ = {":method", "GET", ":scheme", "https", ":path", "/livez", ":authority", "x"};
    private static final String[] POST = {":method", "POST", ":scheme", "https", ":path", "/v1/pets", ":authority",
            "localhost", "authorization", "Bearer " + KEY, "content-type", "application/json"};
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    /// A handshake costs the service a thousand times as much as it costs the client. One that fails leaves no line in the log.
    @Test
    void refusesRenegotiationByClient() throws IOException {
        TlsFiles files = TestCertificate.rsa().write(folder);
        try (PetstoreProcess server = PetstoreProcess.serve(folder.resolve("data"), "--tls-certificate",
                files.certificate().toString(), "--tls-key", files.key().toString()).awaitReady();
                SSLSocket socket = (SSLSocket) TestCertificate.trustingAll().getSocketFactory()
                        .createSocket("127.0.0.1", server.port())) {
            socket.setSoTimeout(30_000);
            socket.setEnabledProtocols(new String[]{"TLSv1.2"});
            socket.startHandshake();
            socket.startHandshake();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> socket.getInputStream().read())
                    .withMessageContaining("handshake_failure");
            sendBrokenHandshake(server.port());
            server.terminate();
            assertThat(server.ending().err()).as("log").noneMatch(line -> line.contains("handshake"));
        }
    }

    /// Sends a record of TLS without a message of TLS, as a port scan does, and waits for the end of the connection.
    private static void sendBrokenHandshake(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write("\u0016\u0003\u0001\u0000\u0005hello".getBytes(StandardCharsets.ISO_8859_1));
            socket.getInputStream().readAllBytes();
        }
    }

    /// A stream that is open outlasts a renewed certificate and the stop of the service.
    @Test
    void finishesStreamsDuringRenewalAndStop() throws IOException {
        TlsFiles files = TestCertificate.ec().write(folder);
        TestCertificate next = TestCertificate.ec256();
        try (PetstoreProcess server = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder.resolve("data"),
                "--tls-certificate", files.certificate().toString(), "--tls-key", files.key().toString()).awaitReady();
                RawHttp2Client client = new RawHttp2Client(server.port()).begin()) {
            client.request(1, false, POST).request(3, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            next.write(folder);
            await().atMost(PATIENCE).until(() -> servedCertificate(server.port()).equals(next.der()));
            client.request(5, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().stream()).isEqualTo(5);
            server.terminate();
            assertThat(client.await(RawHttp2Client.GOAWAY).orElseThrow().lastStream()).isEqualTo(Integer.MAX_VALUE);
            Frame ping = client.await(RawHttp2Client.PING).orElseThrow();
            client.send(RawHttp2Client.PING, RawHttp2Client.ACK, 0, ping.payload().array());
            assertThat(client.await(RawHttp2Client.GOAWAY).orElseThrow().lastStream()).isEqualTo(5);
            client.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, 1, PET.getBytes(StandardCharsets.US_ASCII));
            Frame response = client.await(RawHttp2Client.HEADERS).orElseThrow();
            assertThat(response.stream()).isEqualTo(1);
            assertThat(response.status()).isEqualTo(201);
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY)).as("end of connection").isEmpty();
            assertThat(server.ending().code()).isZero();
        }
    }

    private static Certificate servedCertificate(int port) throws IOException {
        try (SSLSocket socket = (SSLSocket) TestCertificate.trustingAll().getSocketFactory()
                .createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            return socket.getSession().getPeerCertificates()[0];
        }
    }
}
