package petstore.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// TLS versions, key exchange groups and cipher suites, by their openssl names.
class TlsHandshakeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private static Path folder;
    private static TestService ec;
    private static TestService rsa;

    @BeforeAll
    static void start() throws IOException {
        assumeThat(Tools.isInstalled("openssl")).as("openssl is installed").isTrue();
        ec = start("ec", TestCertificate.ec());
        rsa = start("rsa", TestCertificate.rsa());
    }

    private static TestService start(String name, TestCertificate certificate) throws IOException {
        Path serviceFolder = Files.createDirectory(folder.resolve(name));
        return TestService.start(serviceFolder, Clock.systemUTC(),
                http -> http.tls(certificate.write(serviceFolder)));
    }

    @AfterAll
    static void stop() {
        for (TestService service : List.of(ec, rsa)) {
            service.close();
        }
    }

    /// With TLS 1.2, a client can use an EC key only if it supports the curve of the key, here P-384.
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256",
            "-tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384",
            "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256", "-tls1_3 -groups X25519", "-tls1_3 -groups P-256",
            "-tls1_3 -groups P-384", "-tls1_3 -groups P-521:ffdhe2048:X25519", "-tls1_2 -cipher ECDHE+AESGCM+AES128",
            "-tls1_2 -cipher ECDHE+AESGCM+AES256", "-tls1_2 -cipher ECDHE+CHACHA20",
            "-tls1_2 -groups X25519:P-384", "-tls1_2 -groups P-256:P-384", "-tls1_2 -groups P-384",
            "-alpn h2,http/1.1", "-alpn http/1.0", "-alpn smtp,http/1.1"})
    void accepts(String offer) throws IOException, InterruptedException {
        assertThat(handshake(ec, offer)).as("EC").contains("Cipher is ").doesNotContain("Cipher is (NONE)", "alert");
        assertThat(handshake(rsa, offer)).as("RSA").contains("Cipher is ").doesNotContain("Cipher is (NONE)", "alert");
    }

    /// Groups that cost milliseconds, suites without forward secrecy or without authenticated encryption, and old versions.
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3 -groups ffdhe2048", "-tls1_3 -groups P-521", "-tls1_3 -groups X448",
            "-tls1_3 -groups P-521:X448:ffdhe2048:ffdhe3072:ffdhe4096:ffdhe6144:ffdhe8192",
            "-tls1_3 -ciphersuites TLS_AES_128_CCM_SHA256", "-tls1_2 -groups P-521:X448",
            "-tls1_2 -cipher DHE-RSA-AES256-GCM-SHA384", "-tls1_2 -cipher AES128-GCM-SHA256",
            "-tls1_2 -cipher ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA",
            "-tls1_2 -cipher ALL:COMPLEMENTOFALL:!ECDHE:@SECLEVEL=0",
            "-tls1_2 -cipher ALL:COMPLEMENTOFALL:!AESGCM:!CHACHA20:@SECLEVEL=0", "-tls1_1 -cipher ALL:@SECLEVEL=0",
            "-tls1 -cipher ALL:@SECLEVEL=0", "-tls1_2 -alpn smtp"})
    void refuses(String offer) throws IOException, InterruptedException {
        assertThat(handshake(ec, offer)).as("EC").contains("Cipher is (NONE)", "SSL alert number ");
        assertThat(handshake(rsa, offer)).as("RSA").contains("Cipher is (NONE)", "SSL alert number ");
    }

    /// The alert follows the first message of the server.
    @Test
    void refusesOtherProtocolsOverTls13() throws IOException, InterruptedException {
        assertThat(handshake(ec, "-tls1_3 -alpn smtp")).contains("SSL alert number 120");
    }

    @Test
    void refusesWeakOffersAfterCertificateRenewal(@TempDir Path serviceFolder)
            throws IOException, InterruptedException {
        TestCertificate first = TestCertificate.ec();
        try (TestService service = TestService.start(serviceFolder, Clock.systemUTC(),
                http -> http.tls(first.write(serviceFolder)))) {
            TestCertificate.rsa().write(serviceFolder);
            await().atMost(PATIENCE)
                    .until(() -> handshake(service, "-tls1_2").contains("Peer signature type: RSA"));
            for (String offer : List.of("-tls1_3 -groups P-521", "-tls1_2 -cipher DHE-RSA-AES256-GCM-SHA384")) {
                assertThat(handshake(service, offer)).contains("Cipher is (NONE)", "SSL alert number ");
            }
        }
    }

    /// Returns the output of openssl for a handshake.
    private static String handshake(TestService service, String offer) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("openssl", "s_client", "-connect", "127.0.0.1:" + service.port()));
        command.addAll(List.of(offer.split(" ", -1)));
        Process openssl = new ProcessBuilder(command).redirectErrorStream(true).start();
        openssl.getOutputStream().close();
        String output = new String(openssl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        openssl.waitFor();
        return output;
    }
}
