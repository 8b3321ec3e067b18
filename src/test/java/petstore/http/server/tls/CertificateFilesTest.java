package petstore.http.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Failure;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The two files while somebody replaces them.
class CertificateFilesTest {

    @TempDir
    private Path folder;

    @Test
    void nothingIsSaidOfFilesThatAreHalfReplaced() throws IOException {
        TlsFiles files = TestCertificate.make(folder, "EC").write(folder);
        CertificateFiles read = CertificateFiles.load(files);
        assertThat(read.changed()).as("as they were").isEmpty();
        TestCertificate next = TestCertificate.make(folder, "EC");
        Files.writeString(files.certificate(), next.certificate());
        assertThat(read.changed()).as("with the key of before").isEmpty();
        Files.writeString(files.key(), next.key());
        assertThat(read.changed()).as("read once").isEmpty();
        assertThat(read.changed()).as("read twice").isPresent();
        assertThat(read.changed()).as("used").isEmpty();
    }

    @Test
    void aFileWithoutEndIsNotReadToItsEnd() throws IOException {
        TlsFiles files = TestCertificate.make(folder, "EC").write(folder);
        Files.writeString(files.key(), "x".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> CertificateFiles.load(files)).isInstanceOf(Failure.class)
                .hasMessage(files.key() + " (--tls-key) is longer than 1 MiB; give a PEM file");
    }

    @Test
    void whatCannotBeUsedIsSaidOnceForEachChange() throws IOException {
        TestCertificate good = TestCertificate.make(folder, "EC");
        TlsFiles files = good.write(folder);
        CertificateFiles read = CertificateFiles.load(files);
        Files.delete(files.key());
        assertThatThrownBy(read::changed).isInstanceOf(Failure.class).hasMessageContaining("cannot be read");
        assertThat(read.changed()).isEmpty();
        Files.writeString(files.key(), "no key");
        assertThat(read.changed()).isEmpty();
        assertThatThrownBy(read::changed).isInstanceOf(Failure.class).hasMessageContaining("has no private key");
        assertThat(read.changed()).isEmpty();
        Files.writeString(files.key(), good.key().substring(0, 100));
        assertThat(read.changed()).isEmpty();
        assertThatThrownBy(read::changed).isInstanceOf(Failure.class).hasMessageContaining("PEM");
        Files.writeString(files.key(), TestCertificate.make(folder, "EC").key());
        assertThat(read.changed()).isEmpty();
        assertThatThrownBy(read::changed).isInstanceOf(Failure.class)
                .hasMessageContaining("does not belong to the certificate");
        Files.delete(files.certificate());
        assertThatThrownBy(read::changed).isInstanceOf(Failure.class).hasMessageContaining("cannot be read");
        good.write(folder);
        assertThat(read.changed()).isEmpty();
        assertThat(read.changed()).isPresent();
    }
}
