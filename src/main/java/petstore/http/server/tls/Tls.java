package petstore.http.server.tls;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// TLS 1.2 and 1.3 on a listener, with HTTP/2 for clients that ask for it. The certificate is renewed when its files change.
///
/// @param handshakeTimeout from connecting to the end of the handshake
/// @param handshakes does the computing of the handshakes
public record Tls(CertificateFiles files, Duration handshakeTimeout, Executor handshakes) {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    /// With other groups of the JDK, a short ClientHello costs the service milliseconds.
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};
    private static final long CHECK_MS = 1_000;

    /// Returns the handler of a new connection.
    ///
    /// @param plain adds the handlers behind it if the client does not speak TLS
    public ChannelHandler handler(Runnable plain) {
        return new OptionalSslHandler(files.context()) {
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
            protected @Nullable ChannelHandler newNonSslHandler(ChannelHandlerContext connection) {
                plain.run();
                return null;
            }
        };
    }

    /// Reads the files every second. If they have changed, new connections get the new certificate.
    public void keepRenewed(ScheduledExecutorService threads) {
        var _ = threads.scheduleWithFixedDelay(this::renew, CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
    }

    private void renew() {
        try {
            if (files.changed()) {
                LOG.info("the TLS certificate was renewed");
            }
        } catch (Exception | Error e) {
            LOG.warn("the TLS certificate was not renewed: {}", e.getMessage());
        }
    }
}
