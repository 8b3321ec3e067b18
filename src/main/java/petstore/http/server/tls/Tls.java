package petstore.http.server.tls;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// TLS 1.2 and 1.3 on the API listener, with HTTP/2 for clients that ask for it. The certificate is renewed when its files change.
public final class Tls {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");
    /// With other groups of the JDK, a short ClientHello costs the service milliseconds.
    private static final List<String> GROUPS = List.of("x25519", "secp256r1", "secp384r1");
    private static final int MOST_STREAMS = 100;
    private static final long CHECK_MS = 1_000;

    private final CertificateFiles files;
    private final Duration handshakeTimeout;

    public Tls(CertificateFiles files, Duration handshakeTimeout) {
        this.files = files;
        this.handshakeTimeout = handshakeTimeout;
    }

    /// Enables TLS and HTTP/2 for a server.
    ///
    /// @param maxHeaderBytes the longest header block
    public void applyTo(HttpServerOptions options, int maxHeaderBytes) {
        // Worker threads do the handshakes: other connections would wait for their milliseconds of computing.
        withCertificate(options, files.pem()).setSslEngineOptions(new JdkSSLEngineOptions().setUseWorkerThread(true))
                .setInitialSettings(
                        new Http2Settings().setMaxHeaderListSize(maxHeaderBytes).setMaxConcurrentStreams(MOST_STREAMS));
    }

    private HttpServerOptions withCertificate(HttpServerOptions options, PemKeyCertOptions pem) {
        options.setSsl(true).setUseAlpn(true).setKeyCertOptions(pem)
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(handshakeTimeout.toMillis());
        options.getSslOptions().setKeyExchangeGroups(GROUPS);
        // ECDHE with AES-GCM or ChaCha20.
        Http2SecurityUtil.CIPHERS.forEach(options::addEnabledCipherSuite);
        return options;
    }

    /// Returns the time when the certificate expires, in seconds since 1970. For any thread.
    public double certificateExpires() {
        return files.validity().until().getEpochSecond();
    }

    /// Reads the files every second. If they have changed, new connections to the server's port get the new certificate.
    ///
    /// @param threads may block
    public void keepRenewed(HttpServer server, ScheduledExecutorService threads) {
        var _ = threads.scheduleWithFixedDelay(() -> renew(server), CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
    }

    private void renew(HttpServer server) {
        try {
            Optional<PemKeyCertOptions> changed = files.changed();
            if (changed.isPresent()) {
                server.updateSSLOptions(withCertificate(new HttpServerOptions(), changed.get()).getSslOptions())
                        .await();
                LOG.info("the TLS certificate was renewed");
            }
        } catch (Exception | Error e) {
            LOG.warn("the TLS certificate was not renewed: {}", e.getMessage());
        }
    }
}
