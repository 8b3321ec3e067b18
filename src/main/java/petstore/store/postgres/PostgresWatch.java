package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petstore.CatalogueVersion;
import petstore.Closer;
import petstore.Failure;
import petstore.store.Outage;
import petstore.store.postgres.watch.Adoption;
import petstore.store.postgres.watch.Cluster;
import petstore.store.postgres.watch.Effect;
import petstore.store.postgres.watch.Observation;
import petstore.store.postgres.watch.Refusal;
import petstore.store.postgres.watch.ServerState;
import petstore.store.postgres.watch.State;

/// Follows the primary of a PostgreSQL database. Of two threads for each host, one asks it every half second for its state, and then the
/// other for a durable commit. One thread looks at the clock, and one carries out the effects.
final class PostgresWatch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresWatch.class);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /// The interval for a host to which no connection can be made.
    private static final Duration SHORT_INTERVAL = Duration.ofMillis(250);
    private static final Duration EXPIRY_INTERVAL = Duration.ofMillis(100);
    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);

    private final CurrentPrimary primary;
    private final Map<String, PostgresHost> hosts;
    private final int poolSize;
    private final Outage outage = new Outage(LOG, Level.ERROR, "the database cannot be used",
            "the database can be used again");
    private final Suspensions suspensions = new Suspensions(Suspensions::leadOfUptime);
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private volatile @Nullable Thread effects;

    private PostgresWatch(List<PostgresHost> hosts, Cluster cluster, int poolSize, Duration wait) {
        this.hosts = hosts.stream().collect(Collectors.toMap(PostgresHost::name, Function.identity()));
        this.poolSize = poolSize;
        this.primary = new CurrentPrimary(cluster, hosts, wait, () -> LockSupport.unpark(effects));
    }

    /// Watches hosts until the result is closed. Returns once a host is the primary. Errors: [CommandFailure].
    ///
    /// @param cluster that of the servers which were seen
    /// @param wait the longest wait of the start for a host, e.g. for free connection slots
    static CurrentPrimary start(List<PostgresHost> hosts, Cluster cluster, int poolSize, Duration wait) {
        PostgresWatch watch = new PostgresWatch(hosts, cluster, poolSize, wait);
        try {
            watch.start();
            return watch.primary;
        } catch (Throwable e) {
            watch.primary.close();
            throw e;
        }
    }

    private void start() {
        effects = begin(this::runEffects, this::runEffects);
        begin(this::checkTrust, () -> {
        });
        for (PostgresHost host : hosts.values()) {
            Thread prover = begin(() -> prove(host), host.prover()::close);
            begin(() -> follow(host, prover), host::close);
        }
        var _ = primary.atStart(primary::findEpoch);
    }

    /// Begins a thread that repeats a step. Only the end of the watch ends it: after any `Throwable` the step is tried again.
    ///
    /// @param step returns the time from its begin to the next one
    private Thread begin(Supplier<Duration> step, Runnable end) {
        // A virtual thread would depend on others, which may block or may not be started.
        Thread thread = Thread.ofPlatform().daemon().name("database-watch").start(() -> {
            while (!(primary.state().phase() instanceof State.Closed)) {
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
        });
        threads.add(thread);
        return thread;
    }

    /// Asks a host for its state. If a server of it can be used, wakes the thread that proves it.
    private Duration follow(PostgresHost host, Thread prover) {
        State asked = primary.state();
        if (asked.term() > 0 && asked.phase() instanceof State.None) {
            // Its address may lead to another server by now, and a session keeps the defaults that it began with.
            host.reconnect();
        }
        Duration interval = SHORT_INTERVAL;
        try {
            ServerState server = host.observe();
            State seen = primary.observe(new Observation.Seen(host.name(), server));
            if (Refusal.of(server, seen.cluster(), true).isEmpty()) {
                host.prover().reason().ifPresent(
                        reason -> primary.observe(new Observation.Failed(host.name(), reason, Optional.empty())));
                LockSupport.unpark(prover);
            }
            interval = seen.term() == asked.term() ? INTERVAL : Duration.ZERO;
        } catch (Throwable e) {
            observeFailure(asked, host, e);
        }
        return interval;
    }

    private void observeFailure(State asked, PostgresHost host, Throwable e) {
        primary.observe(e instanceof PostgresSession.TransactionPoolingException
                ? new Observation.Pooled(asked.term(), host.name(), PostgresErrors.message(e))
                : failed(host.name(), e));
    }

    /// Makes the server of a host commit, if it can be used. A thread that was woken meanwhile does so again at once.
    private Duration prove(PostgresHost host) {
        State asked = primary.state();
        Optional<ServerState> shown = host.state()
                .filter(server -> Refusal.of(server, asked.cluster(), true).isEmpty());
        if (shown.isPresent()) {
            try {
                prove(host, asked, shown.get());
            } catch (Throwable e) {
                observeFailure(asked, host, e);
            }
        }
        return UNTIL_WOKEN;
    }

    private void prove(PostgresHost host, State asked, ServerState server) throws SQLException {
        Optional<Adoption> used = asked.used().filter(
                adoption -> adoption.host().equals(host.name()) && adoption.server().isSameRun(server));
        long beganNs = host.prover().prove(server, true);
        CatalogueVersion known = asked.last().map(Adoption::version).orElse(new CatalogueVersion(0, 0));
        CatalogueVersion read;
        try {
            read = host.prover().version();
        } catch (SQLException e) {
            // Another session only locks the table, e.g. a restore. The commit before counts; later versions are not known.
            if (PostgresErrors.LOCK.equals(e.getSQLState())) {
                used.ifPresent(adoption -> adoption.committed(beganNs));
            } else {
                host.prover().reconnect();
            }
            throw e;
        }
        State proved = primary.observe(new Observation.Proved(asked.term(), host.name(), server, known, read, beganNs,
                Duration.ofNanos(System.nanoTime() - beganNs)));
        if (proved.term() == asked.term()) {
            used.ifPresent(adoption -> {
                adoption.reached(adoption.versionOf(read), beganNs);
                adoption.committed(beganNs);
            });
        }
    }

    private static Observation.Failed failed(String host, Throwable e) {
        String reason = e instanceof OutOfMemoryError noThread
                ? Failure.noThread(noThread).getMessage()
                : PostgresErrors.detail(e);
        boolean isExpected = e instanceof SQLException || e instanceof Failure || e.getCause() instanceof SQLException;
        return new Observation.Failed(host, reason,
                isExpected ? Optional.empty() : Optional.of(e.getClass().getSimpleName() + ": " + reason));
    }

    private Duration checkTrust() {
        boolean suspended = suspensions.next();
        if (suspended) {
            primary.forgetKeys();
        }
        primary.state().used().ifPresent(adoption -> primary.observe(suspended
                ? new Observation.Suspended(adoption.term())
                : new Observation.Silent(adoption.term(), age(adoption))));
        return EXPIRY_INTERVAL;
    }

    /// Returns the time since the last commit. A pause of the process may have made it long.
    private static Duration age(Adoption adoption) {
        return Duration.ofNanos(System.nanoTime() - adoption.committed().get());
    }

    private Duration runEffects() {
        for (Optional<Effect> next = primary.takeEffect(); next.isPresent(); next = primary.takeEffect()) {
            switch (next.get()) {
                case Effect.Open(Adoption adoption) -> open(adoption);
                case Effect.Close(var left) -> left.close();
                case Effect.AskAll _ -> threads.forEach(LockSupport::unpark);
                case Effect.Unusable(var reason) -> outage.failed(reason);
                case Effect.Usable _ -> outage.succeeded();
                case Effect.Log(var line) -> LOG.error(line);
            }
        }
        if (outage.isLasting()) {
            outage.failed(primary.state().reason());
        }
        return INTERVAL;
    }

    private void open(Adoption adoption) {
        if (primary.state().term() != adoption.term()) {
            return;
        }
        try (Closer opened = new Closer()) {
            PostgresPool pool = opened.add(new PostgresPool(
                    Objects.requireNonNull(hosts.get(adoption.host())), adoption.server(), poolSize));
            if (adoption.beginsEpoch()) {
                primary.forgetKeys();
            }
            opened.handOver();
            primary.observe(new Observation.Opened(adoption.term(), pool, age(adoption)));
        } catch (Throwable e) {
            primary.observe(new Observation.OpeningFailed(adoption.term(), failed(adoption.host(), e)));
        }
    }
}
