package petstore.http.server.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
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

/// The set-up of Java's TLS.
public final class JavaTls {

    private JavaTls() {
    }

    /// Sets the options. Java reads them when TLS is first used, also by a client.
    public static void configure() {
        // A handshake costs the service a thousand times as much as the client.
        System.getProperties().putIfAbsent("jdk.tls.rejectClientInitiatedRenegotiation", "true");
        // One certificate serves all names. Java would refuse names with an underscore.
        System.getProperties().putIfAbsent("jdk.tls.server.disableExtensions", "server_name");
    }

    /// Returns the context of the server. Errors: [SSLException] if the certificates are no chain.
    static SslContext ofServer(PrivateKey key, List<X509Certificate> chain) throws SSLException {
        configure();
        return SslContextBuilder.forServer(key, chain).sslProvider(SslProvider.JDK).protocols("TLSv1.3", "TLSv1.2")
                // ECDHE with AES-GCM or ChaCha20.
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1))
                .build();
    }
}
