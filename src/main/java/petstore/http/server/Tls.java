package petstore.http.server;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// TLS 1.2 and 1.3 on the API listener, with HTTP/2 for clients that ask for it, and a certificate and key that are read again
/// when their files change.
final class Tls {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");
    /// The JDK's others, of finite fields or longer curves, take milliseconds for a short hello.
    private static final List<String> GROUPS = List.of("x25519", "secp256r1", "secp384r1");
    private static final int MOST_STREAMS = 100;
    private static final long CHECK_MS = 1_000;

    private final CertificateFiles files;
    private final Deadlines deadlines;
    private final Map<EventLoop, Connections> connections = new ConcurrentHashMap<>();
    private final AtomicBoolean renewing = new AtomicBoolean();

    Tls(CertificateFiles files, Deadlines deadlines) {
        this.files = files;
        this.deadlines = deadlines;
    }

    /// Switches TLS and HTTP/2 on for a server.
    ///
    /// @param maxHeaderBytes the longest header block
    void applyTo(HttpServerOptions options, int maxHeaderBytes) {
        // A handshake computes for milliseconds, which other connections need not wait for.
        withCertificate(options, files.pem()).setSslEngineOptions(new WatchedEngine().setUseWorkerThread(true))
                .setInitialSettings(
                        new Http2Settings().setMaxHeaderListSize(maxHeaderBytes).setMaxConcurrentStreams(MOST_STREAMS));
    }

    private HttpServerOptions withCertificate(HttpServerOptions options, PemKeyCertOptions pem) {
        options.setSsl(true).setUseAlpn(true).setKeyCertOptions(pem)
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(deadlines.header().toMillis());
        options.getSslOptions().setKeyExchangeGroups(GROUPS);
        // ECDHE with AES-GCM or ChaCha20.
        Http2SecurityUtil.CIPHERS.forEach(options::addEnabledCipherSuite);
        return options;
    }

    /// Has the connections of an event loop watched from before their handshake.
    void watch(EventLoop loop, Connections watches) {
        connections.put(loop, watches);
    }

    /// Looks at the files again and again, and has a server use another certificate for new connections when they have changed.
    /// Event loops share one port, and so its TLS: the first one looks after it.
    ///
    /// @param chores do what blocks
    void keepRenewed(HttpServer server, ScheduledExecutorService chores) {
        if (renewing.compareAndSet(false, true)) {
            var _ = chores.scheduleWithFixedDelay(() -> renew(server), CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void renew(HttpServer server) {
        try {
            Optional<PemKeyCertOptions> changed = files.changed();
            if (changed.isPresent()) {
                server.updateSSLOptions(withCertificate(new HttpServerOptions(), changed.get()).getSslOptions())
                        .await();
                LOG.info("The TLS certificate was renewed");
            }
        } catch (Exception | Error e) {
            LOG.warn("The TLS certificate stays as it was: {}", e.getMessage());
        }
    }

    /// The JDK's engine, whose connections are watched from before their handshake: Vert.x tells of them only after it, and of
    /// those of HTTP/2 only when the client has sent its settings.
    private final class WatchedEngine extends JdkSSLEngineOptions {
        @Override
        public SslContextFactory sslContextFactory() {
            return new DefaultSslContextFactory(SslProvider.JDK, false) {
                @Override
                public SslContext create() throws SSLException {
                    return new WatchedSslContext(super.create(), channel -> {
                        Connections watches = connections.get(channel.eventLoop());
                        if (watches != null) {
                            watches.accepted(channel);
                        }
                    });
                }
            };
        }
    }
}
