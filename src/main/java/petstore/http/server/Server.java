package petstore.http.server;

import java.net.BindException;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.net.SocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.http.message.Api;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.Tls;
import petstore.http.telemetry.Telemetry;

/// The two listeners, open from [#start] to [#close].
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    /// Threads that Vert.x resolves addresses on; they are few, so that a limit of processes can be checked at the start.
    private static final int BLOCKING_THREADS = 2;
    private static final long LISTENING_SECONDS = 10;
    /// How Netty allocates buffers; read once, when Netty is loaded. With its default, `adaptive`, a response takes a microsecond
    /// more.
    private static final String ALLOCATOR = "io.netty.allocator.type";
    /// A TLS handshake costs the service a thousand times what it costs the client.
    private static final String NO_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

    static {
        setUnlessGiven(ALLOCATOR, "pooled");
        setUnlessGiven(NO_RENEGOTIATION, "true");
    }

    private final ServerSettings settings;
    private final MeterRegistry meters;
    private final Telemetry telemetry;
    private final Clock clock;
    /// The sockets that accept connections.
    private final ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Vertx vertx;
    /// Reads the files for TLS again.
    private final ScheduledExecutorService renewals = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("tls-renewal").daemon().factory());
    private int freePorts;
    private int port;
    private int adminPort;

    private Server(ServerSettings settings, MeterRegistry meters, Telemetry telemetry, Clock clock) {
        this.settings = settings;
        this.meters = meters;
        this.telemetry = telemetry;
        this.clock = clock;
        this.vertx = Vertx.builder().withTransport(ThrottledAcceptor.transport(listening))
                .with(new VertxOptions().setWorkerPoolSize(BLOCKING_THREADS)
                        .setInternalBlockingPoolSize(BLOCKING_THREADS).setFileSystemOptions(
                                new FileSystemOptions().setFileCachingEnabled(false)
                                        .setClassPathResolvingEnabled(false)))
                .build();
    }

    /// Opens both listeners.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE`, with a message for the operator, if an address cannot be listened on, or the files
    /// for TLS cannot be used.
    ///
    /// @param memoryIsShort returns true if connections have to be refused
    public static Server start(ServerSettings settings, Api api, Api admin, Telemetry telemetry, MeterRegistry meters,
            BooleanSupplier memoryIsShort, Clock clock) {
        Server server = new Server(settings, meters, telemetry, clock);
        try {
            Optional<Tls> tls = settings.tls()
                    .map(files -> new Tls(CertificateFiles.load(server.vertx, files), settings.deadlines().header()));
            server.port = server.listen("api", "--", settings.host(), settings.port(), api, tls,
                    memoryIsShort, Runtime.getRuntime().availableProcessors());
            server.adminPort = server.listen("admin", "--admin-", settings.adminHost(), settings.adminPort(), admin,
                    Optional.empty(), () -> false, 1);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /// Opens a listener on `instances` event loops and returns its port.
    private int listen(String name, String optionPrefix, String host, int port, Api api, Optional<Tls> tls,
            BooleanSupplier memoryIsShort, int instances) {
        AtomicInteger actualPort = new AtomicInteger();
        AtomicInteger openConnections = new AtomicInteger();
        Gauge.builder("petstore.connections", openConnections::get).description("Open connections.")
                .tag("listener", name).register(meters);
        ConnectionLimit limit = new ConnectionLimit(settings.maxConnections(), openConnections,
                Counter.builder("petstore.refused.connections")
                        .description("Connections closed because of --max-connections or a lack of memory.")
                        .tag("listener", name).register(meters),
                memoryIsShort);
        // Java allows as much memory beside the heap as in it.
        long mostUnreadBytes = Runtime.getRuntime().maxMemory() / 2;
        SocketAddress address = port == 0
                ? SocketAddress.sharedRandomPort(++freePorts, host)
                : SocketAddress.inetSocketAddress(port, host);
        try {
            vertx.deployVerticle(() -> new Listener(address, api, tls,
                    new Connections(settings.deadlines(), limit, mostUnreadBytes / instances), telemetry, clock,
                    open -> {
                        actualPort.set(open.actualPort());
                        tls.ifPresent(on -> on.keepRenewed(open, renewals));
                    }), new DeploymentOptions().setInstances(instances)).await(LISTENING_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    "cannot listen on " + host + ":" + port + " (" + optionPrefix + "host, " + optionPrefix + "port): "
                            + reason(e),
                    e);
        }
        return actualPort.get();
    }

    /// Returns what is wrong with an address, and what to do. The message of the cause may name a port that nobody asked for.
    private static String reason(Exception e) {
        return switch (e) {
            case TimeoutException _ -> "the event loops did not start in time";
            case UnknownHostException _ -> "this machine knows no such host; give an address of this machine";
            case BindException _ when String.valueOf(e.getMessage()).contains("in use") ->
                "another program listens there; stop it, or choose another port";
            case BindException _ -> "this machine does not have this address, or the port is not for everybody";
            default -> String.valueOf(e.getMessage());
        };
    }

    private static void setUnlessGiven(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /// Returns the port that the API listens on.
    public int port() {
        return port;
    }

    /// Returns the port that the admin listener listens on.
    public int adminPort() {
        return adminPort;
    }

    /// Accepts no more connections, lets the requests that have begun finish, and closes.
    @Override
    public void close() {
        renewals.shutdown();
        // Vert.x closes these sockets too, but first stops the event loops that accepted connections are handed to.
        listening.close().awaitUninterruptibly();
        try {
            vertx.close().await(Listener.STOPPING.toMillis(), TimeUnit.MILLISECONDS);
            var _ = renewals.awaitTermination(Listener.STOPPING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            LOG.warn("Closing took too long: {}", e.getMessage());
        }
    }
}
