package petstore.cli.doctor;

import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import petstore.SafeText;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.CertificateFiles.Validity;
import petstore.http.server.tls.TlsFiles;

/// Checks of the certificate and of its key.
record TlsChecks(TlsFiles files, Instant now) {

    private static final Duration TIME_TO_RENEW = Duration.ofDays(21);
    private static final String RENEW = "renew it; a running server takes the new files by itself";
    private static final String OPEN_TO_OTHERS = ".{6}(r|.w).*";

    List<Check> all() {
        return List.of(Check.of("tls certificate", this::validity), Check.of("tls key", this::rights));
    }

    private Finding validity() {
        Validity certificate = new CertificateFiles(files).validity();
        if (now.isBefore(certificate.from())) {
            return Finding.fail("not valid before " + certificate.from(), "see that the clock is right");
        }
        if (now.isAfter(certificate.until())) {
            return Finding.fail("expired on " + certificate.until(), RENEW);
        }
        String text = "valid until " + certificate.until();
        return now.plus(TIME_TO_RENEW).isAfter(certificate.until()) ? Finding.warn(text, RENEW) : Finding.ok(text);
    }

    private Finding rights() {
        if (!Files.isReadable(files.key())) {
            return Finding.fail(files.key() + " cannot be read", "let the service's user read it");
        }
        return FolderChecks.mode(files.key()).matches(OPEN_TO_OTHERS)
                ? Finding.warn(files.key() + " can be read by every user",
                        "chmod o-rw " + SafeText.word(files.key().toString()))
                : Finding.ok(files.key().toString());
    }
}
