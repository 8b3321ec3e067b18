package petstore.http.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.CommandFailure;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The files of a certificate and its key, while they are replaced.
class CertificateFilesTest {

    @TempDir
    private Path folder;

    @Test
    void ignoresHalfReplacedFiles() throws IOException {
        TlsFiles files = TestCertificate.ec().write(folder);
        CertificateFiles loaded = new CertificateFiles(files);
        assertThat(loaded.changed()).as("unchanged files").isFalse();
        TestCertificate next = TestCertificate.ec();
        Files.writeString(files.certificate(), next.certificate());
        assertThat(loaded.changed()).as("new certificate, old key").isFalse();
        Files.writeString(files.key(), next.key());
        assertThat(loaded.changed()).as("first reading of the new files").isFalse();
        assertThat(loaded.changed()).as("second reading of the new files").isTrue();
        assertThat(loaded.changed()).as("new files in use").isFalse();
    }

    /// Java checks the chain only when it makes the context of TLS.
    @Test
    void refusesCertificatesThatAreNoChain() throws IOException {
        TestCertificate good = TestCertificate.ec();
        TlsFiles files = good.write(folder);
        CertificateFiles loaded = new CertificateFiles(files);
        TestCertificate next = TestCertificate.ec();
        Files.writeString(files.certificate(), next.certificate() + TestCertificate.rsa().certificate());
        Files.writeString(files.key(), next.key());
        assertThat(loaded.changed()).isFalse();
        String message = "the certificates in " + files.certificate() + " (--tls-certificate) are no chain";
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class).hasMessageContaining(message);
        assertThat(loaded.validity().until()).as("as of the certificate that is served")
                .isEqualTo(good.der().getNotAfter().toInstant());
        assertThatThrownBy(() -> new CertificateFiles(files)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining(message);
    }

    /// A file may be endless, e.g. a device.
    @Test
    void refusesFilesOver1MiB() throws IOException {
        TlsFiles files = TestCertificate.ec().write(folder);
        Files.writeString(files.key(), "x".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> new CertificateFiles(files)).isInstanceOf(CommandFailure.class)
                .hasMessage(files.key() + " (--tls-key) is longer than 1 MiB; give a PEM file");
    }

    @Test
    void reportsInvalidFilesOncePerChange() throws IOException {
        TestCertificate good = TestCertificate.ec();
        TlsFiles files = good.write(folder);
        CertificateFiles loaded = new CertificateFiles(files);
        Files.delete(files.key());
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class).hasMessageContaining("cannot be read");
        assertThat(loaded.changed()).isFalse();
        Files.writeString(files.key(), "no key");
        assertThat(loaded.changed()).isFalse();
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("has no private key");
        assertThat(loaded.changed()).isFalse();
        Files.writeString(files.key(), good.key().substring(0, 100));
        assertThat(loaded.changed()).isFalse();
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class).hasMessageContaining("PEM");
        Files.writeString(files.key(), TestCertificate.ec().key());
        assertThat(loaded.changed()).isFalse();
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("does not belong to the certificate");
        Files.writeString(files.key(), TestCertificate.rsa().key());
        assertThat(loaded.changed()).isFalse();
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("fits --tls-certificate");
        Files.delete(files.certificate());
        assertThatThrownBy(loaded::changed).isInstanceOf(CommandFailure.class).hasMessageContaining("cannot be read");
        good.write(folder);
        assertThat(loaded.changed()).isFalse();
        assertThat(loaded.changed()).isTrue();
    }
}
