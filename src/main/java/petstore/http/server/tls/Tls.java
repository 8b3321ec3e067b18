package petstore.http.server.tls;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CommandFailure;

/// TLS 1.2 and 1.3 on a listener, with HTTP/2 for clients that ask for it. The certificate is renewed when its files change.
public final class Tls {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    /// With other groups of the JDK, a short ClientHello costs the service milliseconds.
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};
    private static final long CHECK_MS = 1_000;
    private final CertificateFiles files;
    private final Duration handshakeTimeout;
    private final Executor handshakes;
    private volatile SslContext current;

    static {
        JavaTls.configure();
    }

    /// @param handshakeTimeout from connecting to the end of the handshake
    /// @param handshakes does the computing of the handshakes
    public Tls(CertificateFiles files, Duration handshakeTimeout, Executor handshakes) {
        this.handshakes = handshakes;
        this.files = files;
        this.handshakeTimeout = handshakeTimeout;
        this.current = context(files.identity());
    }

    private static SslContext context(CertificateFiles.Identity identity) {
        try {
            return SslContextBuilder.forServer(identity.key(), identity.chain()).sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    // ECDHE with AES-GCM or ChaCha20.
                    .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1))
                    .build();
        } catch (SSLException e) {
            throw new CommandFailure("Java cannot use the TLS certificate", e);
        }
    }

    /// Returns the handler of a new connection.
    ///
    /// @param plain makes the handler that replaces it if the client does not speak TLS
    public ChannelHandler handler(Supplier<ChannelHandler> plain) {
        return new OptionalSslHandler(current) {
            @Override
            protected SslHandler newSslHandler(ChannelHandlerContext connection, SslContext context) {
                SslHandler handler = context.newHandler(connection.alloc(), handshakes);
                SSLParameters parameters = handler.engine().getSSLParameters();
                parameters.setNamedGroups(GROUPS);
                handler.engine().setSSLParameters(parameters);
                handler.setHandshakeTimeoutMillis(handshakeTimeout.toMillis());
                return handler;
            }

            @Override
            protected ChannelHandler newNonSslHandler(ChannelHandlerContext connection) {
                return plain.get();
            }
        };
    }

    /// Returns the time when the certificate expires, in seconds since 1970. For any thread.
    public double certificateExpires() {
        return files.validity().until().getEpochSecond();
    }

    /// Reads the files every second. If they have changed, new connections get the new certificate.
    public void keepRenewed(ScheduledExecutorService threads) {
        var _ = threads.scheduleWithFixedDelay(this::renew, CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
    }

    private void renew() {
        try {
            Optional<CertificateFiles.Identity> changed = files.changed();
            if (changed.isPresent()) {
                current = context(changed.get());
                LOG.info("the TLS certificate was renewed");
            }
        } catch (Exception | Error e) {
            LOG.warn("the TLS certificate was not renewed: {}", e.getMessage());
        }
    }
}
