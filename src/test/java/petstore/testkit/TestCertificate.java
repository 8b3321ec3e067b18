package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import org.bouncycastle.asn1.ASN1BitString;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import petstore.http.server.tls.TlsFiles;

/// A self-signed certificate for localhost, as Netty's builder for tests creates it.
///
/// @param certificate the certificate in PEM form
/// @param key the private key in PEM form; PKCS#8 unless [#inOlderForm] made it
/// @param der the certificate in the form that a server sends
public record TestCertificate(String certificate, String key, X509Certificate der) {

    /// Created by the first test that needs it, because the search for its primes takes a second.
    private static final class Rsa {

        static final TestCertificate CERTIFICATE = create(Algorithm.rsa2048, 60);
    }

    /// Creates a certificate with a new EC key, valid for 90 days.
    public static TestCertificate ec() {
        return create(Algorithm.ecp384, 90);
    }

    /// Creates a certificate with a new EC key on the smaller curve P-256.
    public static TestCertificate ec256() {
        return create(Algorithm.ecp256, 90);
    }

    /// Returns the certificate with an RSA key, valid for 60 days, which is the same for all tests of a JVM.
    public static TestCertificate rsa() {
        return Rsa.CERTIFICATE;
    }

    private static TestCertificate create(Algorithm algorithm, int days) {
        try {
            Instant now = Instant.now();
            X509Bundle created = new CertificateBuilder().algorithm(algorithm).setIsCertificateAuthority(true)
                    .subject("CN=localhost").addSanIpAddress("127.0.0.1").addSanDnsName("localhost")
                    .notBefore(now).notAfter(now.plus(Duration.ofDays(days))).buildSelfSigned();
            return new TestCertificate(created.getCertificatePEM(), created.getPrivateKeyPEM(),
                    created.getCertificate());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the same certificate with another text for its key.
    public TestCertificate withKey(String text) {
        return new TestCertificate(certificate, text, der);
    }

    /// Returns the same certificate with its key in an older form: PKCS#1 for RSA, SEC1 for EC.
    ///
    /// @param isComplete true if a SEC1 key names its curve and its public key, as openssl writes it
    public TestCertificate inOlderForm(boolean isComplete) {
        try {
            PrivateKeyInfo pkcs8 = PrivateKeyInfo
                    .getInstance(Base64.getMimeDecoder().decode(key.replaceAll("-----.*-----", "")));
            if (der.getPublicKey() instanceof ECPublicKey known) {
                BigInteger secret = ECPrivateKey.getInstance(pkcs8.parsePrivateKey()).getKey();
                int bits = known.getParams().getOrder().bitLength();
                ASN1BitString point = SubjectPublicKeyInfo.getInstance(known.getEncoded()).getPublicKeyData();
                ECPrivateKey sec1 = isComplete
                        ? new ECPrivateKey(bits, secret, point, pkcs8.getPrivateKeyAlgorithm().getParameters())
                        : new ECPrivateKey(bits, secret);
                return withKey(pem("EC PRIVATE KEY", sec1.getEncoded()));
            }
            return withKey(pem("RSA PRIVATE KEY", pkcs8.parsePrivateKey().toASN1Primitive().getEncoded()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the block with the curve that openssl writes before a SEC1 key.
    public String curve() {
        try {
            return pem("EC PARAMETERS", SubjectPublicKeyInfo.getInstance(der.getPublicKey().getEncoded()).getAlgorithm()
                    .getParameters().toASN1Primitive().getEncoded());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Writes the certificate and the key, each atomically.
    public TlsFiles write(Path folder) {
        return new TlsFiles(replace(folder.resolve("certificate.pem"), certificate),
                replace(folder.resolve("key.pem"), key));
    }

    private static Path replace(Path file, String text) {
        try {
            Path newFile = Files.writeString(Path.of(file + ".new"), text);
            return Files.move(newFile, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns a TLS context for clients that trust only this certificate.
    public SSLContext trusted() {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("x", der);
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            return context(trust.getTrustManagers()[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns a TLS context for clients that trust every server.
    public static SSLContext trustingAll() {
        return context(new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {
                // Every server is trusted.
            }

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        });
    }

    private static SSLContext context(TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{trust}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(der)
                + "\n-----END " + label + "-----\n";
    }
}
