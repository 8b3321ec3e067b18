package petstore.http.server;

import java.net.BindException;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
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
import petstore.Catalogue;
import petstore.Failure;
import petstore.KeyRing;
import petstore.http.Contract;
import petstore.http.Dispatcher;
import petstore.http.Docs;
import petstore.http.Health;
import petstore.http.HttpSettings;
import petstore.http.MetricsPage;
import petstore.http.PageCache;
import petstore.http.PetOperations;
import petstore.http.Routes;
import petstore.http.access.Bearer;
import petstore.http.access.Browsers;
import petstore.http.access.ConfiguredKey;
import petstore.http.access.RateLimits;
import petstore.http.telemetry.Instruments;
import petstore.http.telemetry.RequestMeters;
import petstore.http.telemetry.Telemetry;
import petstore.http.telemetry.Traces;

/// The two listeners, open from [#start] to [#close].
public final class HttpService implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);
    private static final long KEY_REFRESH_MS = 1_000;
    private static final int CHORES = 3;
    /// Threads that Vert.x resolves addresses on; they are few, so that a limit of processes can be checked at the start.
    private static final int BLOCKING_THREADS = 2;
    private static final long LISTENING_SECONDS = 10;
    /// How Netty gets memory for what it sends, which it looks at once, when it is loaded. By default it is `adaptive`, with which
    /// an answer takes a microsecond more.
    private static final String ALLOCATOR = "io.netty.allocator.type";

    /// Whether a client may have a new TLS handshake whenever it likes, which takes a thousand times what it costs the client.
    private static final String NO_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

    static {
        setUnlessGiven(ALLOCATOR, "pooled");
        setUnlessGiven(NO_RENEGOTIATION, "true");
    }

    private final HttpSettings settings;
    private final Clock clock;
    private final PrometheusMeterRegistry meters;
    private final Telemetry telemetry;
    private final Bearer bearer;
    private final Health health;
    /// The sockets that take connections.
    private final ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Vertx vertx;
    private final ExecutorService virtualThreads = Executors
            .newThreadPerTaskExecutor(Thread.ofVirtual().name("request-", 0).factory());
    /// Does what is done again and again, none of which waits for another: keys are read, their uses saved, certificates read.
    private final ScheduledExecutorService chores = Executors.newScheduledThreadPool(CHORES,
            Thread.ofPlatform().name("chore-", 0).daemon().factory());
    private int freePorts;
    private int port;
    private int adminPort;

    private HttpService(HttpSettings settings, Instruments instruments, Bearer bearer, Health health, Clock clock) {
        this.settings = settings;
        this.meters = instruments.meters();
        this.telemetry = new Telemetry(new RequestMeters(meters), new Traces(instruments.tracer()),
                instruments.requestLog());
        this.bearer = bearer;
        this.health = health;
        this.clock = clock;
        this.vertx = Vertx.builder().withTransport(PacedAcceptor.transport(listening))
                .with(new VertxOptions().setWorkerPoolSize(BLOCKING_THREADS)
                        .setInternalBlockingPoolSize(BLOCKING_THREADS).setFileSystemOptions(
                                new FileSystemOptions().setFileCachingEnabled(false)
                                        .setClassPathResolvingEnabled(false)))
                .build();
    }

    /// Opens both listeners.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE`, with a message for the operator, when an address cannot be listened on, the
    /// files for TLS do not serve, or the store does not give its keys.
    ///
    /// @param configuredKey one more key that is accepted
    /// @param storeCheck throws [Failure] when the store cannot be used
    /// @param instruments where measurements and spans go
    /// @param clock what time it is
    public static HttpService start(HttpSettings settings, Catalogue catalogue, KeyRing keys,
            Optional<String> configuredKey, Runnable storeCheck, Instruments instruments, Clock clock) {
        HttpService service = new HttpService(settings, instruments,
                new Bearer(keys, configuredKey.map(text -> new ConfiguredKey(text, clock.instant())),
                        instruments.meters(), clock),
                new Health(storeCheck), clock);
        try {
            service.listen(catalogue);
            return service;
        } catch (RuntimeException e) {
            service.close();
            throw e;
        }
    }

    private void listen(Catalogue catalogue) {
        PageCache pages = new PageCache(meters);
        PetOperations pets = new PetOperations(catalogue, settings, pages, clock);
        RateLimits limits = new RateLimits(settings.rateLimit(), clock);
        Optional<Tls> tls = settings.tls()
                .map(files -> new Tls(CertificateFiles.load(vertx, files), settings.deadlines()));
        Routes api = Routes.api(pets, new Contract(settings), new Docs(settings), health, virtualThreads);
        port = listen("api", "--", settings.host(), settings.port(),
                new Dispatcher(api, bearer, limits, telemetry, Browsers.of(settings)),
                tls, new Headroom(pages::clear)::isShort,
                Runtime.getRuntime().availableProcessors());
        adminPort = listen("admin", "--admin-", settings.adminHost(), settings.adminPort(),
                new Dispatcher(Routes.admin(health, new MetricsPage(meters), virtualThreads), bearer, limits, telemetry,
                        Optional.empty()),
                Optional.empty(), () -> false, 1);
        // Java loads virtual threads with their first, and never if it can start no other thread at that moment.
        chores.execute(() -> virtualThreads.execute(() -> {
        }));
        var _ = chores.scheduleWithFixedDelay(this::refreshKeys, KEY_REFRESH_MS, KEY_REFRESH_MS, TimeUnit.MILLISECONDS);
        var _ = chores.scheduleWithFixedDelay(this::saveKeyUses, KEY_REFRESH_MS, KEY_REFRESH_MS, TimeUnit.MILLISECONDS);
    }

    private void saveKeyUses() {
        try {
            bearer.saveUses();
        } catch (RuntimeException | Error e) {
            // Anything thrown here would be the end of these chores.
            LOG.warn("When keys were last used could not be saved: {}", e.getMessage());
        }
    }

    private void refreshKeys() {
        try {
            bearer.refresh();
        } catch (RuntimeException | Error e) {
            LOG.warn("The API keys could not be read again: {}", e.getMessage());
        }
    }

    /// Opens a listener on `instances` event loops and gives back its port.
    private int listen(String name, String optionPrefix, String host, int port, Dispatcher dispatcher,
            Optional<Tls> tls, BooleanSupplier memoryIsShort, int instances) {
        AtomicInteger actualPort = new AtomicInteger();
        AtomicInteger openConnections = new AtomicInteger();
        Gauge.builder("petstore.connections", openConnections::get).description("Open connections.")
                .tag("listener", name).register(meters);
        Room room = new Room(settings.maxConnections(), openConnections,
                Counter.builder("petstore.refused.connections")
                        .description("Connections that were closed because there were too many, or no memory was left.")
                        .tag("listener", name).register(meters),
                memoryIsShort);
        // Java lets as much be kept beside the heap as in it.
        long mostUntakenBytes = Runtime.getRuntime().maxMemory() / 2;
        SocketAddress address = port == 0
                ? SocketAddress.sharedRandomPort(++freePorts, host)
                : SocketAddress.inetSocketAddress(port, host);
        try {
            vertx.deployVerticle(() -> new Listener(address, dispatcher, tls,
                    new Connections(settings.deadlines(), room, mostUntakenBytes / instances), telemetry, clock,
                    open -> {
                        actualPort.set(open.actualPort());
                        tls.ifPresent(on -> on.keepRenewed(open, chores));
                    }), new DeploymentOptions().setInstances(instances)).await(LISTENING_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    "cannot listen on " + host + ":" + port + " (" + optionPrefix + "host, " + optionPrefix + "port): "
                            + reason(e),
                    e);
        }
        return actualPort.get();
    }

    /// What is wrong with an address, and what to do. The message of the cause may have a port of our own making in it.
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

    /// The port that the API listens on.
    public int port() {
        return port;
    }

    /// The port that the admin listener listens on.
    public int adminPort() {
        return adminPort;
    }

    private static void setUnlessGiven(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /// Tells whoever balances the load to look elsewhere, and goes on serving for the shutdown delay.
    public void leave() {
        health.stop();
        try {
            Thread.sleep(settings.shutdownDelay());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Takes no more connections, lets the requests that are being answered finish, and closes.
    @Override
    public void close() {
        chores.shutdown();
        // Vert.x closes them too, but first takes away the event loops that connections are handed to.
        listening.close().awaitUninterruptibly();
        try {
            vertx.close().await(Listener.STOPPING.toMillis(), TimeUnit.MILLISECONDS);
            var _ = chores.awaitTermination(Listener.STOPPING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            LOG.warn("Closing took too long: {}", e.getMessage());
        }
        virtualThreads.shutdown();
        saveKeyUses();
    }
}
