package petstore.http.server.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/// The time in which all certificates of a chain are valid.
public record Validity(Instant from, Instant until) {

    /// Returns the validity of a chain, which is not empty.
    static Validity of(List<X509Certificate> chain) {
        return new Validity(
                chain.stream().map(certificate -> certificate.getNotBefore().toInstant())
                        .max(Comparator.naturalOrder()).orElseThrow(),
                chain.stream().map(certificate -> certificate.getNotAfter().toInstant())
                        .min(Comparator.naturalOrder()).orElseThrow());
    }
}
