package petstore.http;

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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509KeyManager;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.http.HttpSettings.TlsFiles;

/// TLS 1.2 and later on the API listener, with HTTP/2 for clients that ask for it, and a certificate and key that are read again
/// when their files change.
final class Tls {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");
    private static final int MOST_STREAMS = 100;
    private static final long CHECK_MS = 1_000;

    /// What the two files have in them.
    private record Contents(Buffer certificate, Buffer key) {
    }

    private final Vertx vertx;
    private final TlsFiles files;
    private final HttpSettings.Deadlines deadlines;
    private final Map<EventLoop, Connections> connections = new ConcurrentHashMap<>();
    private final AtomicBoolean renewing = new AtomicBoolean();
    /// What was read last, and what was read and judged last: used, or refused.
    private Contents seen;
    private Contents judged;
    private boolean unreadable;

    private Tls(Vertx vertx, TlsFiles files, HttpSettings.Deadlines deadlines, Contents contents) {
        this.vertx = vertx;
        this.files = files;
        this.deadlines = deadlines;
        this.seen = contents;
        this.judged = contents;
    }

    /// Reads both files. Blocks.
    ///
    /// Errors: [Failure] with a message for the operator when they cannot be read, or do not belong together.
    static Tls load(Vertx vertx, TlsFiles files, HttpSettings.Deadlines deadlines) {
        Tls tls = new Tls(vertx, files, deadlines, read(files));
        tls.check(tls.judged);
        return tls;
    }

    /// Switches TLS and HTTP/2 on for a server.
    ///
    /// @param maxHeaderBytes the longest header block
    void applyTo(HttpServerOptions options, int maxHeaderBytes) {
        // A handshake computes for milliseconds, which other connections need not wait for.
        withCertificate(options, judged).setSslEngineOptions(new WatchedEngine().setUseWorkerThread(true))
                .setInitialSettings(
                        new Http2Settings().setMaxHeaderListSize(maxHeaderBytes).setMaxConcurrentStreams(MOST_STREAMS));
    }

    private HttpServerOptions withCertificate(HttpServerOptions options, Contents contents) {
        return options.setSsl(true).setUseAlpn(true).setKeyCertOptions(pem(contents))
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(deadlines.header().toMillis());
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
            Optional<ServerSSLOptions> changed = changed();
            if (changed.isPresent()) {
                server.updateSSLOptions(changed.get()).await();
                LOG.info("The TLS certificate was renewed");
            }
        } catch (Exception e) {
            LOG.warn("The TLS certificate stays as it was: {}", e.getMessage());
        }
    }

    /// Reads the files again, and gives back what a server is to use from now on when they have changed. Blocks; one thread at a
    /// time.
    ///
    /// Nothing is judged until two readings in a row find the same: a file may be half written, and the two are not replaced at
    /// once. Errors: [Failure], once for each change, when they cannot be used; what was in use stays.
    private Optional<ServerSSLOptions> changed() {
        Contents now;
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
        return Optional.of(withCertificate(new HttpServerOptions(), now).getSslOptions());
    }

    private static PemKeyCertOptions pem(Contents contents) {
        return new PemKeyCertOptions().setCertValue(contents.certificate()).setKeyValue(contents.key());
    }

    private static Contents read(TlsFiles files) {
        return new Contents(read("--tls-certificate", files.certificate()), read("--tls-key", files.key()));
    }

    private static Buffer read(String setting, Path file) {
        try {
            return Buffer.buffer(Files.readAllBytes(file));
        } catch (IOException e) {
            throw Failure.unavailable(file + " (" + setting + ") cannot be read", e);
        }
    }

    /// Makes sure that a handshake with them would succeed.
    private void check(Contents contents) {
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

    private X509Certificate certificate(Contents contents) {
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
    private PrivateKey key(Contents contents, String algorithm) {
        try {
            X509KeyManager keys = (X509KeyManager) pem(contents).getKeyManagerFactory(vertx).getKeyManagers()[0];
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
