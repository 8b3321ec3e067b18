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
import petstore.store.postgres.watch.Effect;
import petstore.store.postgres.watch.Observation;
import petstore.store.postgres.watch.Refusal;
import petstore.store.postgres.watch.ServerState;
import petstore.store.postgres.watch.State;
import petstore.store.postgres.watch.Timelines;

/// Follows the primary of a PostgreSQL database. A thread for each host asks it every half second for its state and for a durable commit,
/// one looks at the clock, and one carries out the effects.
final class PostgresWatch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresWatch.class);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /// The interval for a host to which no connection can be made.
    private static final Duration SHORT_INTERVAL = Duration.ofMillis(250);
    private static final Duration EXPIRY_INTERVAL = Duration.ofMillis(100);

    private final CurrentPrimary primary;
    private final Map<String, PostgresHost> hosts;
    private final int poolSize;
    private final Outage outage = new Outage(LOG, Level.ERROR, "the database cannot be used",
            "the database can be used again");
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private volatile @Nullable Thread effects;

    private PostgresWatch(List<PostgresHost> hosts, Timelines timelines, int poolSize, Duration wait) {
        this.hosts = hosts.stream().collect(Collectors.toMap(PostgresHost::name, Function.identity()));
        this.poolSize = poolSize;
        this.primary = new CurrentPrimary(timelines, hosts.size(), wait, () -> LockSupport.unpark(effects));
    }

    /// Watches hosts until the result is closed. Returns once a host is the primary. Errors: [CommandFailure].
    ///
    /// @param timelines those that servers have shown
    /// @param wait the longest wait of the start for a host, e.g. for free connection slots
    static CurrentPrimary start(List<PostgresHost> hosts, Timelines timelines, int poolSize, Duration wait) {
        PostgresWatch watch = new PostgresWatch(hosts, timelines, poolSize, wait);
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
            begin(() -> follow(host), host::close);
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

    private Duration follow(PostgresHost host) {
        State asked = primary.state();
        if (asked.term() > 0) {
            // A server was left after the last question.
            closeUnused(host, asked);
        }
        Duration interval = SHORT_INTERVAL;
        try {
            interval = ask(host, asked);
        } catch (PostgresSession.TransactionPoolingException e) {
            primary.observe(new Observation.Pooled(asked.term(), host.name(), PostgresErrors.message(e)));
        } catch (Throwable e) {
            primary.observe(failed(host.name(), e));
        }
        closeUnused(host, primary.state());
        return interval;
    }

    /// Makes the next question of a host use new sessions if no server is used: its address may lead to another server by now, and a
    /// session keeps the defaults that it began with.
    private static void closeUnused(PostgresHost host, State state) {
        if (state.phase() instanceof State.None) {
            host.close();
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

    /// Asks a host once. Returns the time until the next time.
    private Duration ask(PostgresHost host, State asked) throws SQLException {
        ServerState server = host.observe();
        State seen = primary.observe(new Observation.Seen(host.name(), server));
        if (Refusal.of(server, seen.timelines(), true).isPresent()) {
            return INTERVAL;
        }
        if (seen.term() != asked.term()) {
            return Duration.ZERO;
        }
        long beganNs = host.prove(true);
        CatalogueVersion known = asked.last().map(Adoption::version).orElse(new CatalogueVersion(0, 0));
        CatalogueVersion read = host.version();
        State proved = primary.observe(new Observation.Proved(asked.term(), host.name(), server, known, read, beganNs,
                Duration.ofNanos(System.nanoTime() - beganNs)));
        if (proved.term() != asked.term()) {
            return SHORT_INTERVAL;
        }
        asked.used().filter(adoption -> adoption.host().equals(host.name())).ifPresent(adoption -> {
            adoption.reached(adoption.versionOf(read), beganNs);
            adoption.committed(beganNs);
        });
        return INTERVAL;
    }

    private Duration checkTrust() {
        primary.state().used()
                .ifPresent(adoption -> primary.observe(new Observation.Silent(adoption.term(), age(adoption))));
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
                primary.beginLineage();
            }
            opened.handOver();
            primary.observe(new Observation.Opened(adoption.term(), pool, age(adoption)));
        } catch (Throwable e) {
            primary.observe(new Observation.OpeningFailed(adoption.term(), failed(adoption.host(), e)));
        }
    }
}
