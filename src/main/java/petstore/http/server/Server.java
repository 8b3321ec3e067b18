package petstore.http.server;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Closer;
import petstore.CommandFailure;
import petstore.UsableMemory;
import petstore.http.message.Api;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.Tls;
import petstore.http.telemetry.Telemetry;

/// The two listeners, open from [#start] to [#close].
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    /// The time that requests in flight have to finish.
    private static final Duration LONGEST_STOP = Duration.ofSeconds(20);
    private static final long STOP_CHECK_MS = 10;

    static {
        // With Netty's default, `adaptive`, a response takes a microsecond more.
        System.getProperties().putIfAbsent("io.netty.allocator.type", "pooled");
        // Names of channels are for this process alone. To make one of another machine's, Netty would need an address of a network card.
        System.getProperties().putIfAbsent("io.netty.machineId", "00:00:00:00:00:00:00:00");
        // By default, it would take as much memory off-heap as the heap may grow to.
        if (ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .noneMatch(option -> option.startsWith("-XX:MaxDirectMemorySize="))) {
            System.getProperties().putIfAbsent("io.netty.maxDirectMemory", String.valueOf(UsableMemory.bytes()));
        }
        // It would count a part of all buffers.
        System.getProperties().putIfAbsent("io.netty.leakDetection.level", "disabled");
    }

    private final ServerSettings settings;
    private final MeterRegistry meters;
    private final Telemetry telemetry;
    private final Clock clock;
    /// The event loops, which are closed last.
    private final List<EventLoopGroup> groups = new ArrayList<>();
    /// Two threads read the TLS files again, and do the handshakes: other connections of the event loop would wait for their milliseconds of
    /// computing.
    private final ScheduledExecutorService tlsThreads = Executors.newScheduledThreadPool(2,
            Thread.ofPlatform().name("tls-", 0).daemon().factory());
    private final Closer acceptors = new Closer();
    /// The connections of each event loop, of both listeners.
    private final List<Connections> connections = new ArrayList<>();
    private final List<ConnectionLimit> limits = new ArrayList<>();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private int port;
    private int adminPort;

    private Server(ServerSettings settings, MeterRegistry meters, Telemetry telemetry, Clock clock) {
        this.settings = settings;
        this.meters = meters;
        this.telemetry = telemetry;
        this.clock = clock;
    }

    /// Opens both listeners.
    ///
    /// Errors: [CommandFailure] if an address cannot be listened on, or the TLS files cannot be used.
    ///
    /// @param memoryIsShort returns true if connections must be refused
    public static Server start(ServerSettings settings, Api api, Api admin, Telemetry telemetry, MeterRegistry meters,
            BooleanSupplier memoryIsShort, Clock clock) {
        try (Closer opened = new Closer()) {
            Server server = opened.add(new Server(settings, meters, telemetry, clock));
            Optional<Tls> tls = settings.tls()
                    .map(files -> new Tls(new CertificateFiles(files), settings.deadlines().header(),
                            server.tlsThreads));
            tls.ifPresent(on -> {
                Gauge.builder("petstore.certificate.expiry.timestamp",
                        () -> on.files().validity().until().getEpochSecond())
                        .description("Time when the first certificate of the chain expires, in seconds since 1970.")
                        .baseUnit("seconds").register(meters);
                on.keepRenewed(server.tlsThreads);
            });
            server.port = server.listen(new Address("api", settings.host(), settings.port(), "--"), api, tls,
                    memoryIsShort, Runtime.getRuntime().availableProcessors());
            server.adminPort = server.listen(
                    new Address("admin", settings.adminHost(), settings.adminPort(), "--admin-"), admin,
                    Optional.empty(), () -> false, 1);
            opened.handOver();
            return server;
        }
    }

    /// The address of a listener.
    ///
    /// @param listener `api` or `admin`
    /// @param port 0 for a free one
    /// @param optionPrefix the beginning of the options that choose host and port
    private record Address(String listener, String host, int port, String optionPrefix) {

        /// Returns the reason why it cannot be listened on, and the remedy.
        CommandFailure failure(Exception e) {
            String reason = switch (e) {
                case UnresolvedAddressException _ -> "the host is unknown; give an address of this machine";
                case BindException _ when String.valueOf(e.getMessage()).contains("in use") ->
                    "this port is in use; 'ss -ltnp' shows by which program: stop that one, or choose another port with "
                            + optionPrefix + "port (0 for a free one)";
                case BindException _ -> "this machine does not have this address, or the port needs privileges";
                default -> String.valueOf(e.getMessage());
            };
            return new CommandFailure("cannot listen on " + ServerSettings.authority(host, port) + " (" + optionPrefix
                    + "host, " + optionPrefix + "port): " + reason, e);
        }
    }

    /// Opens a listener on this many event loops and returns its port.
    private int listen(Address at, Api api, Optional<Tls> tls, BooleanSupplier memoryIsShort, int loops) {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(loops,
                new DefaultThreadFactory("http-" + at.listener(), true), NioIoHandler.newFactory());
        groups.add(group);
        ConnectionLimit limit = ConnectionLimit.of(at.listener(), settings.maxConnections(), memoryIsShort,
                UsableMemory.bytes() / 4, meters);
        ListenerContext listener = new ListenerContext(api, telemetry, clock, stopping, settings.deadlines(),
                settings.proxies(), limit);
        Map<EventLoop, Connections> ofLoops = new ConcurrentHashMap<>();
        for (EventExecutor executor : group) {
            EventLoop loop = (EventLoop) executor;
            ofLoops.put(loop, new Connections(loop, listener, ofLoops.values()));
        }
        connections.addAll(ofLoops.values());
        limits.add(limit);
        try {
            Acceptor acceptor = new Acceptor(at.listener(), new InetSocketAddress(at.host(), at.port()), group,
                    new Pipeline(ofLoops, listener, tls));
            acceptors.add(acceptor::close);
            return acceptor.port();
        } catch (IOException | UnresolvedAddressException e) {
            throw at.failure(e);
        }
    }

    public int port() {
        return port;
    }

    public int adminPort() {
        return adminPort;
    }

    /// Asks clients to send further requests on other connections, which still are accepted.
    public void announceStop() {
        stopping.set(true);
        connections.forEach(Connections::announceStop);
    }

    /// Stops accepting connections, waits for requests in flight, and closes.
    @Override
    public void close() {
        announceStop();
        Closer.closeAll(acceptors, this::awaitRequests, this::closeLoops, tlsThreads::shutdown);
    }

    private void awaitRequests() throws InterruptedException {
        connections.stream().map(Connections::shutDown).toList().forEach(Future::awaitUninterruptibly);
        long deadline = System.nanoTime() + LONGEST_STOP.toNanos();
        while (limits.stream().anyMatch(limit -> limit.open().get() > 0)) {
            if (System.nanoTime() - deadline > 0) {
                LOG.warn("requests were not complete after {} s", LONGEST_STOP.toSeconds());
                return;
            }
            Thread.sleep(STOP_CHECK_MS);
        }
    }

    private void closeLoops() {
        groups.stream().map(group -> group.shutdownGracefully(0, LONGEST_STOP.toSeconds(), TimeUnit.SECONDS)).toList()
                .forEach(Future::awaitUninterruptibly);
    }
}
