package petstore.http.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import petstore.Failure;

/// A certificate and its key in two files, which may be replaced. All of it blocks; for one thread at a time.
public final class CertificateFiles {

    /// What the two files have in them.
    private record PemFiles(Buffer certificate, Buffer key) {

        PemKeyCertOptions pem() {
            return new PemKeyCertOptions().setCertValue(certificate).setKeyValue(key);
        }
    }

    private final Vertx vertx;
    private final TlsFiles files;
    /// What was read last; what was read and judged last, used or refused; and what was found good last.
    private PemFiles seen;
    private PemFiles judged;
    private PemFiles good;
    private boolean unreadable;

    private CertificateFiles(Vertx vertx, TlsFiles files, PemFiles contents) {
        this.vertx = vertx;
        this.files = files;
        this.seen = contents;
        this.judged = contents;
        this.good = contents;
    }

    /// Reads both files.
    ///
    /// Errors: [Failure] with a message for the operator when they cannot be read, or do not belong together.
    public static CertificateFiles load(Vertx vertx, TlsFiles files) {
        CertificateFiles loaded = new CertificateFiles(vertx, files, read(files));
        loaded.check(loaded.good);
        return loaded;
    }

    /// What is to be used.
    PemKeyCertOptions pem() {
        return good.pem();
    }

    /// Reads the files again; absent when there is nothing new to use.
    ///
    /// Nothing is judged until two readings in a row find the same: a file may be half written, and the two are not replaced at
    /// once. Errors: [Failure], once for each change, when they cannot be used.
    Optional<PemKeyCertOptions> changed() {
        PemFiles now;
        try {
            now = read(files);
            unreadable = false;
        } catch (Failure e) {
            if (unreadable) {
                return Optional.empty();
            }
            unreadable = true;
            throw e;
        }
        boolean settled = now.equals(seen);
        seen = now;
        if (!settled || now.equals(judged)) {
            return Optional.empty();
        }
        judged = now;
        check(now);
        good = now;
        return Optional.of(pem());
    }

    private static PemFiles read(TlsFiles files) {
        return new PemFiles(read("--tls-certificate", files.certificate()), read("--tls-key", files.key()));
    }

    private static Buffer read(String setting, Path file) {
        try {
            return Buffer.buffer(Files.readAllBytes(file));
        } catch (IOException e) {
            throw Failure.unavailable(file + " (" + setting + ") cannot be read", e);
        }
    }

    /// Makes sure that a handshake with them would succeed.
    private void check(PemFiles contents) {
        PublicKey certified = certificate(contents).getPublicKey();
        PrivateKey key = key(contents, certified.getAlgorithm());
        try {
            byte[] text = "petstore".getBytes(StandardCharsets.US_ASCII);
            String algorithm = switch (certified.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> certified.getAlgorithm();
            };
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            signature.update(text);
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException _) {
            // Keys of different kinds do not belong together either.
        }
        throw Failure.unavailable("the key in " + files.key() + " (--tls-key) is not that of the certificate in "
                + files.certificate() + " (--tls-certificate); give the two that were made together");
    }

    private X509Certificate certificate(PemFiles contents) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(contents.certificate().getBytes()));
        } catch (GeneralSecurityException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, files.certificate()
                    + " (--tls-certificate) has no certificate in it; give a PEM file that begins with the server's own",
                    e);
        }
    }

    /// The key as a handshake finds it.
    private PrivateKey key(PemFiles contents, String algorithm) {
        try {
            X509KeyManager keys = (X509KeyManager) contents.pem().getKeyManagerFactory(vertx).getKeyManagers()[0];
            String[] names = keys.getServerAliases(algorithm, null);
            if (names != null && names.length > 0) {
                return keys.getPrivateKey(names[0]);
            }
        } catch (Exception e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, files.key() + " (--tls-key) has no private key in it that fits "
                    + "--tls-certificate; give the one that the certificate was made with, as PEM, PKCS#8, not encrypted",
                    e);
        }
        throw Failure.unavailable("certificates of the kind in " + files.certificate()
                + " (--tls-certificate) are not supported; give one with an RSA or EC key");
    }
}
