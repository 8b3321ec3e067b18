package petstore.http.server;

import java.net.BindException;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.SocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Closer;
import petstore.Failure;
import petstore.http.message.Api;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.Tls;
import petstore.http.telemetry.Telemetry;

/// The two listeners, open from [#start] to [#close].
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    /// The threads that resolve addresses. They are few, so that a limit of processes can be checked at the start.
    private static final int BLOCKING_THREADS = 2;
    private static final long LISTENING_SECONDS = 10;

    static {
        // With Netty's default, `adaptive`, a response takes a microsecond more.
        System.getProperties().putIfAbsent("io.netty.allocator.type", "pooled");
        // A TLS handshake costs the service a thousand times as much as the client.
        System.getProperties().putIfAbsent("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private final ServerSettings settings;
    private final MeterRegistry meters;
    private final Telemetry telemetry;
    private final Clock clock;
    /// The listening sockets.
    private final ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Vertx vertx;
    /// Reads the TLS files again.
    private final ScheduledExecutorService renewals = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("tls-renewal").daemon().factory());
    /// Gets the connections of the listener that is being opened.
    private Consumer<Channel> accepted = _ -> {
    };
    private volatile boolean stopping;
    private int freePorts;
    private int port;
    private int adminPort;

    private Server(ServerSettings settings, MeterRegistry meters, Telemetry telemetry, Clock clock) {
        this.settings = settings;
        this.meters = meters;
        this.telemetry = telemetry;
        this.clock = clock;
        this.vertx = Vertx.builder().withTransport(ThrottledAcceptor.transport(listening, () -> accepted))
                .with(new VertxOptions().setWorkerPoolSize(BLOCKING_THREADS)
                        .setInternalBlockingPoolSize(BLOCKING_THREADS).setFileSystemOptions(
                                new FileSystemOptions().setFileCachingEnabled(false)
                                        .setClassPathResolvingEnabled(false)))
                .build();
    }

    /// Opens both listeners.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` if an address cannot be listened on, or the TLS files cannot be used.
    ///
    /// @param memoryIsShort returns true if connections must be refused
    public static Server start(ServerSettings settings, Api api, Api admin, Telemetry telemetry, MeterRegistry meters,
            BooleanSupplier memoryIsShort, Clock clock) {
        try (Closer opened = new Closer()) {
            Server server = opened.add(new Server(settings, meters, telemetry, clock));
            Optional<Tls> tls = settings.tls()
                    .map(files -> new Tls(CertificateFiles.load(files), settings.deadlines().header()));
            tls.ifPresent(on -> Gauge.builder("petstore.certificate.expiry.timestamp", on::certificateExpires)
                    .description("Time when the first certificate of the chain expires, in seconds since 1970.")
                    .baseUnit("seconds").register(meters));
            server.port = server.listen("api", "--", settings.host(), settings.port(), api, tls,
                    memoryIsShort, Runtime.getRuntime().availableProcessors());
            server.adminPort = server.listen("admin", "--admin-", settings.adminHost(), settings.adminPort(), admin,
                    Optional.empty(), () -> false, 1);
            opened.handOver();
            return server;
        }
    }

    /// Opens a listener on `instances` event loops and returns its port.
    private int listen(String name, String optionPrefix, String host, int port, Api api, Optional<Tls> tls,
            BooleanSupplier memoryIsShort, int instances) {
        Map<EventLoop, Connections> shares = new ConcurrentHashMap<>();
        accepted = connection -> Objects.requireNonNull(shares.get(connection.eventLoop())).accepted(connection);
        AtomicReference<HttpServer> open = new AtomicReference<>();
        ConnectionLimit limit = ConnectionLimit.of(name, settings.maxConnections(), memoryIsShort, meters);
        // Java's default limit of off-heap memory is the size of the heap.
        long mostUnreadBytes = Runtime.getRuntime().maxMemory() / 2;
        SocketAddress address = port == 0
                ? SocketAddress.sharedRandomPort(++freePorts, host)
                : SocketAddress.inetSocketAddress(port, host);
        try {
            vertx.deployVerticle(() -> new Listener(address, api, tls,
                    new Connections(settings.deadlines(), limit, settings.proxies(), mostUnreadBytes / instances,
                            () -> stopping, shares),
                    telemetry, clock, open::set), new DeploymentOptions().setInstances(instances))
                    .await(LISTENING_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            Exception cause = isInUse(e) ? new PortInUseException(host, port, optionPrefix + "port", e) : e;
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    "cannot listen on " + ServerSettings.authority(host, port) + " ("
                            + optionPrefix + "host, " + optionPrefix + "port): " + reason(cause),
                    cause);
        }
        tls.ifPresent(on -> on.keepRenewed(open.get(), renewals));
        return open.get().actualPort();
    }

    /// The exception for a port on which another program listens.
    public static final class PortInUseException extends Exception {
        private static final long serialVersionUID = 1L;
        public final String host;
        public final int port;
        /// The option that chooses the port.
        public final String option;

        PortInUseException(String host, int port, String option, Exception cause) {
            super("this port is in use", cause);
            this.host = host;
            this.port = port;
            this.option = option;
        }
    }

    /// Returns true if an address cannot be listened on because its port is in use.
    public static boolean isInUse(Exception e) {
        return e instanceof BindException && String.valueOf(e.getMessage()).contains("in use");
    }

    /// Returns the reason and the remedy. The message of the cause may name an internal port.
    private static String reason(Exception e) {
        return switch (e) {
            case TimeoutException _ -> "the event loops did not start in time";
            case UnknownHostException _ -> "the host is unknown; give an address of this machine";
            case BindException _ -> "this machine does not have this address, or the port needs privileges";
            default -> String.valueOf(e.getMessage());
        };
    }

    public int port() {
        return port;
    }

    public int adminPort() {
        return adminPort;
    }

    private void closeVertx() {
        try {
            vertx.close().await(Listener.STOPPING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warn("closing took too long: {}", e.getMessage());
        }
    }

    /// Stops accepting connections, waits for requests in flight, and closes.
    @Override
    public void close() {
        // First, so that no client keeps a connection for requests that would arrive too late.
        stopping = true;
        Closer.closeAll(renewals::shutdown,
                // Vert.x closes these sockets only after it stops the event loops of the connections that they accept.
                () -> listening.close().awaitUninterruptibly(), this::closeVertx,
                () -> renewals.awaitTermination(Listener.STOPPING.toMillis(), TimeUnit.MILLISECONDS));
    }
}
