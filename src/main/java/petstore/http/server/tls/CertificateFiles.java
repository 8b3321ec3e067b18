package petstore.http.server.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import javax.net.ssl.SSLException;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import petstore.CommandFailure;

/// A certificate and its key in two files, which may be replaced. [#changed] blocks, and is for one thread; the other methods are for any.
public final class CertificateFiles {

    /// Contents with which handshakes succeed.
    private record Identity(List<X509Certificate> chain, SslContext context) {
    }

    /// The time in which all certificates of a chain are valid.
    public record Validity(Instant from, Instant until) {
    }

    private final TlsFiles files;
    /// The contents of both files at the last reading.
    private PemFiles latest;
    /// The contents at the last check, valid or not.
    private PemFiles checked;
    /// The last valid contents. The only field for several threads.
    private volatile Identity identity;
    private boolean unreadable;

    /// Sets the options of Java's TLS. Java reads them when TLS is first used, also by a client.
    public static void configureJava() {
        // A handshake costs the service a thousand times as much as the client.
        System.getProperties().putIfAbsent("jdk.tls.rejectClientInitiatedRenegotiation", "true");
        // One certificate serves all names. Java would refuse names with an underscore.
        System.getProperties().putIfAbsent("jdk.tls.server.disableExtensions", "server_name");
    }

    /// Reads both files.
    ///
    /// Errors: [CommandFailure] if a file cannot be read, or the key or the chain does not belong to the certificate.
    public CertificateFiles(TlsFiles files) {
        configureJava();
        this.files = files;
        this.latest = PemFiles.read(files);
        this.checked = latest;
        this.identity = valid(checked);
    }

    SslContext context() {
        return identity.context();
    }

    public Validity validity() {
        List<X509Certificate> chain = identity.chain();
        return new Validity(
                chain.stream().map(certificate -> certificate.getNotBefore().toInstant())
                        .max(Comparator.naturalOrder()).orElseThrow(),
                chain.stream().map(certificate -> certificate.getNotAfter().toInstant())
                        .min(Comparator.naturalOrder()).orElseThrow());
    }

    /// Reads the files again. Returns true if they are new and valid, and in use from now on.
    ///
    /// Contents are checked only after two equal readings: a file may be half written, and the files are not replaced at once.
    /// Errors: [CommandFailure], once for each change, if the contents are invalid.
    boolean changed() {
        PemFiles previous = latest;
        try {
            latest = PemFiles.read(files);
            unreadable = false;
        } catch (CommandFailure e) {
            if (unreadable) {
                return false;
            }
            unreadable = true;
            throw e;
        }
        if (!latest.equals(previous) || latest.equals(checked)) {
            return false;
        }
        checked = latest;
        identity = valid(checked);
        return true;
    }

    /// Throws [CommandFailure] if a handshake with these contents would fail.
    private Identity valid(PemFiles contents) {
        List<X509Certificate> chain = contents.chain();
        PublicKey certified = chain.getFirst().getPublicKey();
        PrivateKey key = contents.privateKey(certified);
        try {
            Signature signature = Signature.getInstance(
                    certified.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            if (signature.verify(signed)) {
                return new Identity(chain, context(key, chain));
            }
        } catch (GeneralSecurityException _) {
            // The keys are of different sizes or curves.
        }
        throw new CommandFailure("the key in " + files.key() + " (--tls-key) does not belong to the certificate in "
                + files.certificate() + " (--tls-certificate); give the key that the certificate was made with");
    }

    private SslContext context(PrivateKey key, List<X509Certificate> chain) {
        try {
            // Java compares the names alone.
            for (int i = 1; i < chain.size(); i++) {
                chain.get(i - 1).verify(chain.get(i).getPublicKey());
            }
            return SslContextBuilder.forServer(key, chain).sslProvider(SslProvider.JDK).protocols("TLSv1.3", "TLSv1.2")
                    // ECDHE with AES-GCM or ChaCha20.
                    .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN,
                            SelectorFailureBehavior.FATAL_ALERT, SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1, "http/1.0"))
                    .build();
        } catch (GeneralSecurityException | SSLException e) {
            throw new CommandFailure("the certificates in " + files.certificate()
                    + " (--tls-certificate) are no chain; give the server's own first, then each that has signed the one before",
                    e);
        }
    }
}
