package petstore.http.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import petstore.CommandFailure;

/// The contents of two files in PEM form.
///
/// @param files where they are, for messages
record PemFiles(TlsFiles files, String certificates, String key) {

    private static final int MOST_BYTES = 1 << 20;
    /// The kind of a private key, which PKCS#8 does not have, and its text in Base64.
    private static final Pattern PRIVATE_KEY = Pattern
            .compile("(?s)-----BEGIN ([A-Z]+ )?PRIVATE KEY-----(.*?)-----END");
    private static final byte[] VERSION_0 = {2, 1, 0};
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 4;
    /// The flag of a length that further bytes have. The rest of its byte is their number.
    private static final byte LONG_FORM = (byte) 0x80;

    /// Reads both files.
    ///
    /// Errors: [CommandFailure] if a file cannot be read.
    static PemFiles read(TlsFiles files) {
        return new PemFiles(files, read("--tls-certificate", files.certificate()), read("--tls-key", files.key()));
    }

    private static String read(String setting, Path file) {
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] bytes = stream.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new CommandFailure(file + " (" + setting + ") is longer than 1 MiB; give a PEM file");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw CommandFailure.of(file + " (" + setting + ") cannot be read", e);
        }
    }

    /// Returns the certificates, the server's own first.
    ///
    /// Errors: [CommandFailure] if there is none.
    List<X509Certificate> chain() {
        try {
            List<X509Certificate> chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(certificates.getBytes(StandardCharsets.ISO_8859_1)))
                    .stream().map(X509Certificate.class::cast).toList();
            if (!chain.isEmpty()) {
                return chain;
            }
        } catch (GeneralSecurityException _) {
            // The text between the marks is not a certificate.
        }
        throw new CommandFailure(files.certificate()
                + " (--tls-certificate) has no certificate; give a PEM file that begins with the server's own");
    }

    /// Returns the private key in the form PKCS#8, PKCS#1 or SEC1.
    ///
    /// Errors: [CommandFailure] if there is none of the kind of the public key, or it is encrypted.
    PrivateKey privateKey(PublicKey certified) {
        if (!certified.getAlgorithm().equals("RSA") && !certified.getAlgorithm().equals("EC")) {
            throw new CommandFailure("certificates of the kind in " + files.certificate()
                    + " (--tls-certificate) are not supported; give one with an RSA or EC key");
        }
        Matcher found = PRIVATE_KEY.matcher(key);
        try {
            if (!found.find()) {
                throw new GeneralSecurityException("there is no private key in PEM form");
            }
            if (found.group().contains("ENCRYPTED")) {
                throw new CommandFailure(files.key() + " (--tls-key) is encrypted; decrypt it, e.g. with openssl pkey");
            }
            byte[] der = Base64.getMimeDecoder().decode(found.group(2));
            return KeyFactory.getInstance(certified.getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(found.group(1) == null ? der : pkcs8(der, certified)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new CommandFailure(files.key() + " (--tls-key) has no private key that fits --tls-certificate; "
                    + "give the key that the certificate was made with, in PEM form, not encrypted",
                    e);
        }
    }

    /// Returns a key of PKCS#1 or SEC1 in the form PKCS#8, which adds the algorithm. The public key begins with the same algorithm. Source:
    /// RFC 5208 section 5, RFC 5280 section 4.1.
    private static byte[] pkcs8(byte[] der, PublicKey certified) {
        byte[] sequence = certified.getEncoded();
        int begin = (sequence[1] & LONG_FORM) == 0 ? 2 : 2 + (sequence[1] & ~LONG_FORM);
        // Of RSA and the named curves, which Java knows, the algorithm is shorter than 128 bytes.
        byte[] algorithm = Arrays.copyOfRange(sequence, begin, begin + 2 + sequence[begin + 1]);
        return element(SEQUENCE, VERSION_0, algorithm, element(OCTET_STRING, der));
    }

    private static byte[] element(int tag, byte[]... contents) {
        int length = Stream.of(contents).mapToInt(content -> content.length).sum();
        ByteBuffer element = ByteBuffer.allocate(2 + Integer.BYTES + length).put((byte) tag)
                .put((byte) (LONG_FORM | Integer.BYTES)).putInt(length);
        Stream.of(contents).forEach(element::put);
        return element.array();
    }
}
