package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.store.KnownVersion;

/// Follows the primary of a PostgreSQL database among its hosts. Each host is asked every second what it is, and whether it commits
/// durably now; the service uses the one that does, and none while none does.
final class PostgresWatch implements PostgresSessions {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /// For a host to which no connection can be made.
    private static final Duration SHORT_INTERVAL = Duration.ofMillis(250);
    private static final Duration EXPIRY_INTERVAL = Duration.ofMillis(100);
    /// For the first adoption, which needs a few connections.
    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private static final String NOT_ANSWERED = "a commit is not answered; see that the synchronous standby is there";

    private final PostgresConnector connector;
    private final List<PostgresHost> hosts;
    private final int poolSize;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<Runnable> newEpochListeners = new CopyOnWriteArrayList<>();
    private final Map<PostgresHost, ServerState> states = new ConcurrentHashMap<>();
    /// Why a host cannot be used.
    private final Map<PostgresHost, String> reasons = new ConcurrentHashMap<>();
    /// Guards changes of `primary`, and what the next one needs of the last.
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable PostgresPrimary primary;
    private ServerState.@Nullable Lineage lineage;
    private long epoch;
    private long lastId;
    private volatile boolean closed;

    /// @param hosts of which one has been proved to commit
    PostgresWatch(PostgresConnector connector, List<PostgresHost> hosts, int poolSize) {
        this.connector = connector;
        this.hosts = hosts;
        this.poolSize = poolSize;
    }

    /// Starts to follow, and returns once there is a primary. Errors: [Failure] of kind `UNAVAILABLE`.
    void start() {
        hosts.forEach(host -> threads.add(Thread.ofVirtual().name("database-watch").start(() -> follow(host))));
        threads.add(Thread.ofVirtual().name("database-watch").start(this::expire));
        long beganNs = System.nanoTime();
        while (!isReady()) {
            if (System.nanoTime() - beganNs > START_LIMIT.toNanos()) {
                throw unavailable();
            }
            LockSupport.parkNanos(EXPIRY_INTERVAL.toNanos() / 10);
        }
    }

    private boolean isReady() {
        PostgresPrimary now = primary;
        return now != null && now.isReady();
    }

    @Override
    public void requireReady() {
        if (!isReady()) {
            throw unavailable();
        }
    }

    private Failure unavailable() {
        String why = reasons.values().stream().distinct().sorted().collect(Collectors.joining("; "));
        return Failure.unavailable("the database cannot be used" + (why.isEmpty() ? "" : ": " + why));
    }

    @Override
    public <T> T use(Use<T> use) throws SQLException {
        requireReady();
        return useUnqueued(use);
    }

    @Override
    public <T> T useToCommit(Use<T> use) throws SQLException {
        requireReady();
        long beganNs = System.nanoTime();
        PostgresPrimary server = current();
        T result = useOn(server, use);
        server.committed(beganNs);
        return result;
    }

    @Override
    public <T> T useUnqueued(Use<T> use) throws SQLException {
        return useOn(current(), use);
    }

    private PostgresPrimary current() {
        PostgresPrimary now = primary;
        if (now == null) {
            throw unavailable();
        }
        return now;
    }

    /// Refuses the result if the server was left meanwhile: a read may be out of date, and a write may be lost.
    private <T> T useOn(PostgresPrimary server, Use<T> use) throws SQLException {
        try (PostgresSession session = server.connect()) {
            T result = use.on(session);
            if (primary != server) {
                throw unavailable();
            }
            return result;
        } catch (PostgresSession.TransactionPoolingException e) {
            reasons.put(server.host(), String.valueOf(e.getMessage()));
            leave(server, String.valueOf(e.getMessage()));
            throw unavailable();
        }
    }

    @Override
    public long epoch() {
        requireReady();
        return current().epoch();
    }

    @Override
    public CatalogueVersion version() throws SQLException {
        requireReady();
        PostgresPrimary server = current();
        long known = server.lastId();
        CatalogueVersion read = useOn(server, session -> KnownVersion.read(session, server.epoch()));
        requireContinued(server, known, read.lastId());
        return read;
    }

    /// Leaves a server whose catalogue is not what it was. Errors: [Failure] in that case.
    ///
    /// @param known the greatest id known before `lastId` was read
    private void requireContinued(PostgresPrimary server, long known, long lastId) {
        if (lastId < known) {
            leave(server, "an older state of the database was restored");
            throw unavailable();
        }
        server.reached(lastId);
    }

    @Override
    public void onNewEpoch(Runnable listener) {
        newEpochListeners.add(listener);
    }

    private void follow(PostgresHost host) {
        while (!closed) {
            long beganNs = System.nanoTime();
            try {
                ask(host, beganNs);
            } catch (SQLException | RuntimeException e) {
                states.remove(host);
                reasons.put(host, String.valueOf(e.getMessage()));
                PostgresPrimary now = primary;
                if (e instanceof PostgresSession.TransactionPoolingException && now != null && now.host() == host) {
                    leave(now, String.valueOf(e.getMessage()));
                }
            }
            boolean connects = states.containsKey(host);
            if (connects && !isReady()) {
                // The address may lead to another server by now, and a session keeps the defaults that it began with.
                host.close();
            }
            Duration interval = connects ? INTERVAL : SHORT_INTERVAL;
            LockSupport.parkNanos(interval.toNanos() - (System.nanoTime() - beganNs));
        }
        host.close();
    }

    private void ask(PostgresHost host, long beganNs) throws SQLException {
        ServerState state = host.observe();
        states.put(host, state);
        Optional<String> reason = state.cannotCommit().or(state::losesData).or(() -> successorOf(state));
        PostgresPrimary now = primary;
        PostgresPrimary used = now != null && now.host() == host ? now : null;
        if (reason.isPresent()) {
            reasons.put(host, reason.get());
            if (used != null) {
                leave(used, reason.get());
            }
            return;
        }
        boolean provedByOthers = used != null && used.hasCommittedSince(beganNs - INTERVAL.toNanos());
        host.prove(!provedByOthers);
        long known = used == null ? 0 : used.lastId();
        long id = host.lastId();
        reasons.remove(host);
        if (used != null && used.state().isSameRun(state)) {
            requireContinued(used, known, id);
            if (!provedByOthers) {
                used.committed(beganNs);
            }
        } else {
            adopt(host, state, id, beganNs);
        }
    }

    private Optional<String> successorOf(ServerState state) {
        return states.values().stream().anyMatch(other -> other.isSuccessorOf(state))
                ? Optional.of("another host has taken over as the primary")
                : Optional.empty();
    }

    /// Takes a host for the primary, unless another one is in use that it has not taken over from.
    private void adopt(PostgresHost host, ServerState state, long id, long beganNs) {
        lock.lock();
        try {
            PostgresPrimary before = primary;
            if (closed || (before != null && before.host() != host && !state.isSuccessorOf(before.state()))) {
                return;
            }
            if (before != null) {
                leave(before, "another server has taken over");
            }
            boolean first = epoch == 0;
            boolean continued = state.lineage().equals(lineage) && id >= lastId;
            lineage = state.lineage();
            lastId = id;
            epoch += continued ? 0 : 1;
            PostgresPrimary next = new PostgresPrimary(host, state, epoch, id, beganNs, connector, poolSize);
            primary = next;
            if (!continued) {
                newEpochListeners.forEach(Runnable::run);
            }
            next.open();
            if (!first) {
                LOG.info("The database can be used again");
            }
        } catch (RuntimeException e) {
            Optional.ofNullable(primary).ifPresent(failed -> leave(failed, String.valueOf(e.getMessage())));
            lineage = null;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private void leave(PostgresPrimary server, String reason) {
        lock.lock();
        try {
            if (primary != server) {
                return;
            }
            primary = null;
            lastId = Math.max(lastId, server.lastId());
        } finally {
            lock.unlock();
        }
        if (server.wasOpened()) {
            LOG.error("The database cannot be used: {}", reason);
        }
        // Open sessions may not see the change yet.
        server.host().reconnect();
        Thread.startVirtualThread(server::close);
        threads.forEach(LockSupport::unpark);
    }

    /// Leaves a primary that has not proved for too long that it is one.
    private void expire() {
        while (!closed) {
            PostgresPrimary now = primary;
            if (now != null && !now.isTrusted()) {
                leave(now, reasons.getOrDefault(now.host(), NOT_ANSWERED));
            }
            LockSupport.parkNanos(EXPIRY_INTERVAL.toNanos());
        }
    }

    @Override
    public void close() {
        closed = true;
        threads.forEach(LockSupport::unpark);
        lock.lock();
        try {
            Optional.ofNullable(primary).ifPresent(PostgresPrimary::close);
            primary = null;
        } finally {
            lock.unlock();
        }
    }
}
