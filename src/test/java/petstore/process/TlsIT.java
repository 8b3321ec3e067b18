package petstore.process;

import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/// TLS properties that Java reads once per process. The test needs a new process, because another test may have used TLS before.
class TlsIT {

    @TempDir
    private Path folder;

    /// A handshake costs the service a thousand times as much as it costs the client.
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
        }
    }
}
