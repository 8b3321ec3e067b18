package petstore.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/// TLS in a new process: its properties, which Java reads once, and its end.
class TlsIT {

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
}
