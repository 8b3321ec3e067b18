package petstore.store.postgres;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import petstore.CatalogueVersion;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.Failure.Unavailability;
import petstore.store.Database;
import petstore.store.KnownVersion;
import petstore.store.Outage;
import petstore.store.SqlFunction;
import petstore.store.postgres.watch.Adoption;
import petstore.store.postgres.watch.Cluster;
import petstore.store.postgres.watch.Effect;
import petstore.store.postgres.watch.Observation;
import petstore.store.postgres.watch.State;
import petstore.store.postgres.watch.State.Primary;
import petstore.store.postgres.watch.Transition;

/// The state of the watch, and the sessions of requests on the server in use. If this server is left before a request ends, the request
/// is refused: a read may be stale, and a write may be lost.
final class CurrentPrimary implements PostgresSessions {

    /// The least limit for a first adoption without a failure. It needs a few connections.
    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final Duration START_INTERVAL = Duration.ofMillis(10);

    private final AtomicReference<Transition> current;
    private final List<PostgresHost> hosts;
    private final Duration wait;
    private final long beganNs = System.nanoTime();
    private final Runnable wakeEffects;
    private final List<Runnable> onNewLineage = new CopyOnWriteArrayList<>();

    /// @param cluster that of the servers which were seen
    /// @param wait the longest wait of the start
    /// @param wakeEffects called when there are effects to take
    CurrentPrimary(Cluster cluster, List<PostgresHost> hosts, Duration wait, Runnable wakeEffects) {
        this.current = new AtomicReference<>(new Transition(new State(cluster)));
        this.hosts = hosts;
        this.wait = wait;
        this.wakeEffects = wakeEffects;
    }

    State state() {
        return current.get().state();
    }

    /// Applies an observation. Returns the state after it.
    State observe(Observation observation) {
        Transition next = current.updateAndGet(before -> before.next(observation));
        if (!next.effects().isEmpty()) {
            wakeEffects.run();
        }
        return next.state();
    }

    /// Takes the next effect, which the caller carries out; absent for none.
    Optional<Effect> takeEffect() {
        return current.getAndUpdate(Transition::withoutFirst).effects().stream().findFirst();
    }

    private Failure unavailable(Unavailability cause) {
        return new Failure(cause, Database.UNAVAILABLE, state().unavailable());
    }

    /// Returns the server in use; absent if requests are not allowed now.
    Optional<Primary> findReady() {
        return state().phase() instanceof Primary primary && primary.adoption().isTrusted(System.nanoTime())
                ? Optional.of(primary)
                : Optional.empty();
    }

    private Primary requirePrimary() {
        return findReady().orElseThrow(() -> unavailable(Unavailability.NO_PRIMARY));
    }

    /// Throws a [Failure] of kind `UNAVAILABLE` if a server was left, or its last commit is too old.
    private void requireUsed(Adoption adoption, Unavailability cause) {
        if (state().term() != adoption.term() || !adoption.isTrusted(System.nanoTime())) {
            throw unavailable(cause);
        }
    }

    @Override
    public Optional<Long> findEpoch() {
        Adoption adoption = requirePrimary().adoption();
        Optional<Long> epoch = adoption.findEpoch(System.nanoTime());
        // If the server was left meanwhile, the next term may use this epoch for other animals.
        requireUsed(adoption, Unavailability.NO_PRIMARY);
        return epoch;
    }

    @Override
    public void onNewLineage(Runnable action) {
        onNewLineage.add(action);
    }

    /// Makes the API keys in memory outdated. A check of a key needs no trusted commit: it needs keys that were read recently, from the
    /// server of this epoch.
    void forgetKeys() {
        onNewLineage.forEach(Runnable::run);
    }

    @Override
    public <T> T atStart(Supplier<T> step) {
        Outage outage = PostgresSearch.waiting();
        while (true) {
            try {
                T result = step.get();
                outage.succeeded();
                return result;
            } catch (Failure e) {
                LockSupport.parkNanos(pauseAfter(e, outage).toNanos());
            }
        }
    }

    /// Returns the time until the next attempt. Errors: [CommandFailure] or the failure itself if there is none.
    private Duration pauseAfter(Failure failure, Outage outage) {
        Throwable cause = failure.getCause();
        if (cause != null && !(cause instanceof SQLTransientException)) {
            throw failure;
        }
        State state = state();
        boolean failed = cause != null || state.reasons().size() == hosts.size();
        String reason = cause == null ? state.reason() : PostgresErrors.message(cause);
        Duration limit = failed || wait.compareTo(START_LIMIT) > 0 ? wait : START_LIMIT;
        if (System.nanoTime() - beganNs > limit.toNanos()) {
            throw new CommandFailure("the database cannot be used" + Postgres.SERVICE_WAIT_IS_OVER + ": " + reason);
        }
        if (failed) {
            outage.failed(reason);
        }
        return failed ? PostgresSearch.PAUSE : START_INTERVAL;
    }

    @Override
    public <T> T use(SqlFunction<PostgresSession, T> use) {
        Primary primary = requirePrimary();
        Adoption adoption = primary.adoption();
        long beganNs = System.nanoTime();
        try (PostgresSession session = pool(primary).connect(adoption.version().lastId())) {
            T result = use.on(session);
            if (session.hasCommitted()) {
                adoption.committed(beganNs);
                adoption.used(session.usedId());
            }
            requireUsed(adoption, session.hasCommitted() ? Unavailability.OUTCOME_UNKNOWN : Unavailability.NO_PRIMARY);
            return result;
        } catch (PostgresSession.TransactionPoolingException e) {
            observe(new Observation.Pooled(adoption.term(), adoption.host(), PostgresErrors.message(e)));
            throw unavailable(Unavailability.NO_PRIMARY);
        } catch (PostgresSession.UsedIdException e) {
            observe(new Observation.Fell(adoption.term()));
            throw PostgresErrors.ofRequest(adoption.host(), e);
        } catch (SQLException e) {
            // If the server was left, the watch has closed its connections, so the error says nothing about the work.
            throw state().term() == adoption.term() || e instanceof PostgresSession.UnknownOutcomeException
                    ? PostgresErrors.ofRequest(adoption.host(), e)
                    : unavailable(Unavailability.NO_PRIMARY);
        }
    }

    private static PostgresPool pool(Primary primary) {
        return (PostgresPool) primary.connections();
    }

    /// Returns the version of the catalogue. If animals were changed by SQL, its epoch rises.
    @Override
    public CatalogueVersion version() {
        Adoption adoption = requirePrimary().adoption();
        CatalogueVersion known = adoption.version();
        long beganNs = System.nanoTime();
        CatalogueVersion version = adoption.versionOf(use(KnownVersion::read));
        if (version.fellBelow(known)) {
            observe(new Observation.Fell(adoption.term()));
        } else {
            // Before the check below, because the epochs of the next term begin behind those that are recorded here.
            adoption.reached(version, beganNs);
        }
        requireUsed(adoption, Unavailability.NO_PRIMARY);
        return version;
    }

    @Override
    public void close() {
        State.Phase before = current.getAndUpdate(all -> all.next(new Observation.Ended())).state().phase();
        wakeEffects.run();
        // Otherwise the end of the process would leave an unfinished commit to the server.
        hosts.forEach(host -> host.prover().close());
        if (before instanceof Primary primary) {
            pool(primary).awaitClosed();
        }
    }
}
