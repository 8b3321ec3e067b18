package petstore.http.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import petstore.Failure;

/// A certificate and its key in two files, which may be replaced. Every method except [#validity] blocks, and is for one thread at
/// a time.
public final class CertificateFiles {

    private static final int MOST_BYTES = 1 << 20;

    private final TlsFiles files;
    /// The contents of both files at the last reading.
    private PemKeyCertOptions latest;
    /// The contents at the last check, valid or not.
    private PemKeyCertOptions checked;
    /// The validity of the last valid certificates. The only field for several threads.
    private volatile Validity validity = new Validity(Instant.EPOCH, Instant.EPOCH);
    private boolean unreadable;

    private CertificateFiles(TlsFiles files, PemKeyCertOptions contents) {
        this.files = files;
        this.latest = contents;
        this.checked = contents;
    }

    /// Reads both files.
    ///
    /// Errors: [Failure] if a file cannot be read, or the key does not belong to the certificate.
    public static CertificateFiles load(TlsFiles files) {
        CertificateFiles loaded = new CertificateFiles(files, read(files));
        loaded.check(loaded.checked);
        return loaded;
    }

    /// Returns the contents that [#load] read, before the first call of [#changed].
    PemKeyCertOptions pem() {
        return checked;
    }

    /// Returns the validity of the last valid certificates. For any thread.
    public Validity validity() {
        return validity;
    }

    /// Reads the files again. Returns their contents if they are new and valid.
    ///
    /// Contents are checked only after two equal readings: a file may be half written, and the files are not replaced at once.
    /// Errors: [Failure], once for each change, if the contents are invalid.
    Optional<PemKeyCertOptions> changed() {
        PemKeyCertOptions previous = latest;
        try {
            latest = read(files);
            unreadable = false;
        } catch (Failure e) {
            if (unreadable) {
                return Optional.empty();
            }
            unreadable = true;
            throw e;
        }
        if (!latest.equals(previous) || latest.equals(checked)) {
            return Optional.empty();
        }
        checked = latest;
        check(checked);
        return Optional.of(checked);
    }

    private static PemKeyCertOptions read(TlsFiles files) {
        return new PemKeyCertOptions().setCertValue(read("--tls-certificate", files.certificate()))
                .setKeyValue(read("--tls-key", files.key()));
    }

    private static Buffer read(String setting, Path file) {
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] bytes = stream.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw Failure.unavailable(file + " (" + setting + ") is longer than 1 MiB; give a PEM file");
            }
            return Buffer.buffer(bytes);
        } catch (IOException e) {
            throw Failure.unavailable(file + " (" + setting + ") cannot be read", e);
        }
    }

    /// Throws [Failure] if a handshake with these contents would fail. Else takes the validity from them.
    private void check(PemKeyCertOptions contents) {
        List<X509Certificate> chain = chain(contents);
        PublicKey certified = chain.getFirst().getPublicKey();
        PrivateKey key = key(contents, certified.getAlgorithm());
        try {
            Signature signature = Signature.getInstance(switch (certified.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> certified.getAlgorithm();
            });
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            if (signature.verify(signed)) {
                validity = Validity.of(chain);
                return;
            }
        } catch (GeneralSecurityException _) {
            // The keys are of different kinds.
        }
        throw Failure.unavailable("the key in " + files.key() + " (--tls-key) does not belong to the certificate in "
                + files.certificate() + " (--tls-certificate); give the key that the certificate was made with");
    }

    private List<X509Certificate> chain(PemKeyCertOptions contents) {
        try {
            List<X509Certificate> chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(contents.getCertValue().getBytes())).stream()
                    .map(X509Certificate.class::cast).toList();
            if (!chain.isEmpty()) {
                return chain;
            }
        } catch (GeneralSecurityException _) {
            // The text between the marks is not a certificate.
        }
        throw Failure.unavailable(files.certificate()
                + " (--tls-certificate) has no certificate; give a PEM file that begins with the server's own");
    }

    /// Returns the key that a handshake would use. Vert.x is null, because it is needed only for paths.
    private PrivateKey key(PemKeyCertOptions contents, String algorithm) {
        try {
            X509KeyManager keys = (X509KeyManager) contents.getKeyManagerFactory(null).getKeyManagers()[0];
            String[] names = keys.getServerAliases(algorithm, null);
            if (names != null && names.length > 0) {
                return keys.getPrivateKey(names[0]);
            }
        } catch (Exception e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    files.key() + " (--tls-key) has no private key that fits --tls-certificate; "
                            + "give the key that the certificate was made with, as PEM, PKCS#8, not encrypted",
                    e);
        }
        throw Failure.unavailable("certificates of the kind in " + files.certificate()
                + " (--tls-certificate) are not supported; give one with an RSA or EC key");
    }
}
