package petstore.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import petstore.http.server.tls.TlsFiles;

/// A self-signed certificate for localhost, created with the JDK's keytool.
///
/// @param certificate the certificate in PEM form
/// @param key the private key in PEM form; PKCS#8 unless [#inPkcs1] generated it
/// @param der the certificate in the form that a server sends
public record TestCertificate(String certificate, String key, X509Certificate der) {

    private static final String PASSWORD = "changeit";
    /// The number of bytes before the PKCS#1 key within the PKCS#8 form of an RSA key.
    private static final int PKCS1_OFFSET = 26;

    /// Creates a certificate, valid for 90 days with `EC` and 60 days with `RSA`.
    ///
    /// @param algorithm `EC` or `RSA`
    public static TestCertificate make(Path folder, String algorithm) {
        try {
            Path store = Files.createTempDirectory(folder, "keys").resolve("keys.p12");
            Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair", "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD,
                    "-alias", "x", "-keyalg", algorithm, "-dname", "CN=localhost", "-ext",
                    "SAN=ip:127.0.0.1,dns:localhost", "-validity", algorithm.equals("EC") ? "90" : "60")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            if (keytool.waitFor() != 0) {
                throw new AssertionError("keytool failed");
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            X509Certificate generated = (X509Certificate) keys.getCertificate("x");
            return new TestCertificate(pem("CERTIFICATE", generated.getEncoded()),
                    pem("PRIVATE KEY", keys.getKey("x", PASSWORD.toCharArray()).getEncoded()), generated);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// Returns the same certificate with its RSA key in the older form PKCS#1.
    public TestCertificate inPkcs1() {
        byte[] pkcs8 = Base64.getMimeDecoder().decode(key.replaceAll("-----.*-----", ""));
        return new TestCertificate(certificate,
                pem("RSA PRIVATE KEY", Arrays.copyOfRange(pkcs8, PKCS1_OFFSET, pkcs8.length)), der);
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
