package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.RawClient;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/// The forms of the private key in `--tls-key`, and handshakes while it is replaced.
class TlsKeysTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private TestService start(TlsFiles files) {
        return TestService.start(folder.resolve("data"), Clock.systemUTC(), http -> http.tls(files));
    }

    /// PKCS#8, PKCS#1 and SEC1, as openssl and others write them.
    static Stream<Arguments> keys() {
        TestCertificate rsa = TestCertificate.rsa();
        Stream<Arguments> ofRsa = Stream.of(Arguments.of("RSA, PKCS#8", rsa),
                Arguments.of("RSA, PKCS#1", rsa.inOlderForm(true)));
        return Stream.concat(ofRsa, Stream.of(TestCertificate.ec256(), TestCertificate.ec()).flatMap(ec -> {
            String sec1 = ec.inOlderForm(true).key();
            return Stream.of(Arguments.of("EC, PKCS#8", ec), Arguments.of("EC, SEC1", ec.withKey(sec1)),
                    Arguments.of("EC, SEC1 without the curve", ec.inOlderForm(false)),
                    Arguments.of("EC, SEC1 behind EC PARAMETERS", ec.withKey(ec.curve() + sec1)),
                    Arguments.of("EC, SEC1 with CRLF", ec.withKey((ec.curve() + sec1).replace("\n", "\r\n"))),
                    Arguments.of("EC, SEC1 behind its certificate", ec.withKey(ec.certificate() + "text\n" + sec1)));
        }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keys")
    void acceptsKey(String form, TestCertificate certificate) throws IOException {
        try (TestService service = start(certificate.write(folder))) {
            assertThat(servedCertificate(service.port())).as(form).isEqualTo(certificate.der());
        }
    }

    private static SSLSocket connect(int port) throws IOException {
        return (SSLSocket) TestCertificate.trustingAll().getSocketFactory().createSocket("127.0.0.1", port);
    }

    /// Returns the certificate of a new connection, after a response.
    private static Certificate servedCertificate(int port) throws IOException {
        try (SSLSocket socket = connect(port); RawClient client = new RawClient(socket)) {
            assertThat(client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").response().orElseThrow().status())
                    .isEqualTo(200);
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
            """
                    -----BEGIN EC PRIVATE KEY-----
                    Proc-Type: 4,ENCRYPTED
                    DEK-Info: AES-256-CBC,00

                    AAAA
                    -----END EC PRIVATE KEY-----
                    """})
    void refusesEncryptedKey(String key) {
        assertRefused(TestCertificate.ec256().withKey(key).write(folder), "key.pem (--tls-key) is encrypted",
                "openssl pkey");
    }

    private void assertRefused(TlsFiles files, String... messageParts) {
        assertThatExceptionOfType(CommandFailure.class).isThrownBy(() -> start(files).close())
                .satisfies(failure -> assertThat(failure.getMessage()).contains(messageParts).doesNotContain("\n"));
    }

    /// Handshakes begin and end at every moment of the renewals.
    @Test
    void completesHandshakesWhileCertificateIsRenewed() throws Exception {
        List<TestCertificate> next = List.of(TestCertificate.ec(), TestCertificate.rsa());
        AtomicBoolean isDone = new AtomicBoolean();
        try (TestService service = start(TestCertificate.ec256().write(folder));
                SSLSocket before = connect(service.port());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                clients.add(threads.submit(() -> {
                    int handshakes = 0;
                    for (; !isDone.get(); handshakes++) {
                        servedCertificate(service.port());
                    }
                    return handshakes;
                }));
            }
            try {
                for (TestCertificate certificate : next) {
                    certificate.write(folder);
                    await().atMost(PATIENCE).until(() -> servedCertificate(service.port()).equals(certificate.der()));
                }
            } finally {
                isDone.set(true);
            }
            for (Future<Integer> client : clients) {
                assertThat(client.get()).isPositive();
            }
            try (RawClient client = new RawClient(before)) {
                assertThat(client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").response().orElseThrow().status())
                        .as("connected before, handshake after").isEqualTo(200);
            }
        }
    }
}
