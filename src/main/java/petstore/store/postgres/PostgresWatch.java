package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CatalogueVersion;
import petstore.Failure;

/// Follows the primary of a PostgreSQL database. It asks each host every second for its state and for a durable commit, and uses the
/// host that commits.
final class PostgresWatch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /// The interval for a host to which no connection can be made.
    private static final Duration SHORT_INTERVAL = Duration.ofMillis(250);
    private static final Duration EXPIRY_INTERVAL = Duration.ofMillis(100);
    /// The least limit for the first adoption, which needs a few connections.
    static final Duration START_LIMIT = Duration.ofSeconds(30);

    private final CurrentPrimary primary;
    /// The servers that were refused for their timeline, so that each is logged once.
    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    private PostgresWatch(PostgresConnector connector, int poolSize) {
        this.primary = new CurrentPrimary(connector, poolSize, () -> threads.forEach(LockSupport::unpark));
    }

    /// Watches hosts until the result is closed. Returns once a host is the primary. Errors: [Failure] of kind `UNAVAILABLE`.
    ///
    /// @param limit the longest wait, e.g. for free connection slots
    static CurrentPrimary start(PostgresConnector connector, List<PostgresHost> hosts, int poolSize,
            Duration limit) {
        PostgresWatch watch = new PostgresWatch(connector, poolSize);
        try {
            watch.start(hosts, limit);
            return watch.primary;
        } catch (Throwable e) {
            watch.primary.close();
            throw e;
        }
    }

    private void start(List<PostgresHost> hosts, Duration limit) {
        for (PostgresHost host : hosts) {
            begin(() -> follow(host), host::close);
        }
        begin(this::expire, () -> {
        });
        begin(this::closeLeft, primary::closeLeft);
        long beganNs = System.nanoTime();
        long loggedNs = beganNs;
        while (!primary.isReady()) {
            long now = System.nanoTime();
            if (now - beganNs > limit.toNanos()) {
                throw primary.unavailable();
            }
            if (now - loggedNs >= PostgresSearch.LOG_INTERVAL.toNanos()) {
                LOG.warn("waiting: {}", primary.unavailable().getMessage());
                loggedNs = now;
            }
            LockSupport.parkNanos(EXPIRY_INTERVAL.toNanos() / 10);
        }
    }

    /// Begins a thread that repeats a step. Only the end of the watch ends it: after any `Throwable` the step is tried again.
    ///
    /// @param step returns the time from its begin to the next one
    private void begin(Supplier<Duration> step, Runnable end) {
        // A virtual thread would depend on others, which may block or may not be started.
        threads.add(Thread.ofPlatform().daemon().name("database-watch").start(() -> {
            while (!primary.isClosed()) {
                long beganNs = System.nanoTime();
                Duration interval = SHORT_INTERVAL;
                try {
                    interval = step.get();
                } catch (Throwable e) {
                    LOG.error("the watch of the database failed and goes on", e);
                }
                LockSupport.parkNanos(interval.toNanos() - (System.nanoTime() - beganNs));
            }
            end.run();
        }));
    }

    private Duration follow(PostgresHost host) {
        boolean connects = false;
        try {
            ask(host, System.nanoTime());
            connects = true;
        } catch (Throwable e) {
            boolean isNew = primary.unusable(host, reason(e));
            if (e instanceof PostgresSession.TransactionPoolingException) {
                used(host).ifPresent(server -> primary.leave(server, reason(e)));
            } else if (isNew
                    && !(e instanceof SQLException || e instanceof Failure || e.getCause() instanceof SQLException)) {
                LOG.error("the watch of {} failed and goes on: {}: {}", host.address().hostNames(),
                        e.getClass().getSimpleName(), reason(e));
            }
        }
        if (connects && !primary.isReady()) {
            // The address may lead to another server by now, and a session keeps the defaults that it began with.
            host.close();
        }
        return connects ? INTERVAL : SHORT_INTERVAL;
    }

    private static String reason(Throwable e) {
        return e instanceof OutOfMemoryError noThread
                ? Failure.noThread(noThread).getMessage()
                : PostgresErrors.message(e);
    }

    /// Returns the primary if it is this host.
    private Optional<PostgresPrimary> used(PostgresHost host) {
        return primary.find().filter(server -> server.host() == host);
    }

    private void ask(PostgresHost host, long beganNs) throws SQLException {
        ServerState state = host.observe();
        Optional<String> reason = state.cannotCommit().or(state::losesData).or(() -> olderTimeline(host));
        Optional<PostgresPrimary> used = used(host);
        if (reason.isPresent()) {
            primary.unusable(host, reason.get());
            used.ifPresent(server -> primary.leave(server, reason.get()));
            return;
        }
        boolean provedByRequests = used.filter(server -> server.hasCommittedSince(beganNs - INTERVAL.toNanos()))
                .isPresent();
        host.prove(!provedByRequests);
        Optional<CatalogueVersion> known = used.map(PostgresPrimary::version);
        CatalogueVersion version = host.version();
        if (used.filter(server -> server.state().isSameRun(state)).isEmpty()) {
            primary.adopt(host, state, version, beganNs);
            primary.usable(host);
            return;
        }
        primary.usable(host);
        primary.requireContinued(used.get(), known.get(), version, beganNs);
        if (!provedByRequests) {
            used.get().committed(beganNs);
        }
    }

    private Optional<String> olderTimeline(PostgresHost host) {
        ServerState.Lineage lineage = host.state().lineage();
        host.laterTimeline().ifPresent(later -> {
            if (logged.add(host.address().hostNames() + lineage)) {
                LOG.error(
                        "{} is refused: its timeline {} is older than timeline {}, which another server was on, so animals"
                                + " may be missing; start a primary of that timeline or a later one, or see docs/postgresql.md to go"
                                + " back",
                        host.address().hostNames(), lineage.timeline(), later);
            }
        });
        return host.olderTimeline();
    }

    private Duration expire() {
        primary.leaveIfExpired();
        return EXPIRY_INTERVAL;
    }

    private Duration closeLeft() {
        primary.closeLeft();
        return INTERVAL;
    }
}
