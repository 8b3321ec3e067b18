package petstore.http.server.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

import io.vertx.core.Vertx;
import petstore.Failure;

/// The time in which the certificates of a file are all valid.
///
/// @param from its begin
/// @param until its end
public record CertificateInspection(Instant from, Instant until) {

    /// Reads the files as the server does. Errors: as for [CertificateFiles#load].
    public static CertificateInspection of(TlsFiles files) {
        Vertx vertx = Vertx.vertx();
        try {
            CertificateFiles.load(vertx, files);
        } finally {
            vertx.close();
        }
        try (InputStream in = Files.newInputStream(files.certificate())) {
            List<X509Certificate> chain = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast).toList();
            return new CertificateInspection(
                    chain.stream().map(certificate -> certificate.getNotBefore().toInstant())
                            .max(Comparator.naturalOrder()).orElseThrow(),
                    chain.stream().map(certificate -> certificate.getNotAfter().toInstant())
                            .min(Comparator.naturalOrder()).orElseThrow());
        } catch (IOException e) {
            throw Failure.unavailable(files.certificate() + " (--tls-certificate) cannot be read", e);
        } catch (GeneralSecurityException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    files.certificate() + " (--tls-certificate) has a certificate that cannot be read", e);
        }
    }
}
