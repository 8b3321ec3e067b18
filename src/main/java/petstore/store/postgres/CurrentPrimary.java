package petstore.store.postgres;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.store.KnownVersion;

/// The server that requests use, if there is one, and the epoch of its catalogue.
final class CurrentPrimary implements PostgresSessions {

    /// The logger of the watch, so that all its log lines have one name.
    private static final Logger LOG = LoggerFactory.getLogger(PostgresWatch.class);
    private static final String NO_COMMIT = "a commit does not complete; check that the synchronous standby is running";

    private final PostgresConnector connector;
    private final AdoptedTimelines timelines;
    private final int poolSize;
    private final Runnable wakeWatch;
    private final List<Runnable> newEpochListeners = new CopyOnWriteArrayList<>();
    /// The reasons why hosts cannot be used.
    private final Map<PostgresHost, String> reasons = new ConcurrentHashMap<>();
    private volatile boolean closed;
    /// Guards changes of the following fields.
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable PostgresPrimary primary;
    private ServerState.@Nullable Lineage lineage;
    private long epoch;
    private long lastId;

    /// @param wakeWatch called after a server was left, and at the end
    CurrentPrimary(PostgresConnector connector, AdoptedTimelines timelines, int poolSize, Runnable wakeWatch) {
        this.connector = connector;
        this.timelines = timelines;
        this.poolSize = poolSize;
        this.wakeWatch = wakeWatch;
    }

    /// Returns the server; absent if no host can be used.
    Optional<PostgresPrimary> find() {
        return Optional.ofNullable(primary);
    }

    /// Returns the server. Errors: [Failure] of kind `UNAVAILABLE` if requests are not allowed now.
    private PostgresPrimary requireReady() {
        return find().filter(PostgresPrimary::isReady).orElseThrow(this::unavailable);
    }

    boolean isReady() {
        return find().filter(PostgresPrimary::isReady).isPresent();
    }

    Failure unavailable() {
        String why = reasons.values().stream().distinct().sorted().collect(Collectors.joining("; "));
        return Failure.unavailable("the database cannot be used" + (why.isEmpty() ? "" : ": " + why));
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public long epoch() {
        return requireReady().epoch();
    }

    @Override
    public void onNewEpoch(Runnable listener) {
        newEpochListeners.add(listener);
    }

    void usable(PostgresHost host) {
        reasons.remove(host);
    }

    void unusable(PostgresHost host, String reason) {
        reasons.put(host, reason);
    }

    @Override
    public <T> T use(Use<T> use) throws SQLException {
        return use(requireReady(), use);
    }

    @Override
    public <T> T useToCommit(Use<T> use) throws SQLException {
        long beganNs = System.nanoTime();
        PostgresPrimary server = requireReady();
        T result = use(server, use);
        server.committed(beganNs);
        return result;
    }

    @Override
    public <T> T useUnqueued(Use<T> use) throws SQLException {
        return use(find().orElseThrow(this::unavailable), use);
    }

    /// Uses a session on a server. Refuses the result if the server was left meanwhile: a read may be stale, a write may be lost.
    private <T> T use(PostgresPrimary server, Use<T> use) throws SQLException {
        try (PostgresSession session = server.connect()) {
            T result = use.on(session);
            if (primary != server) {
                throw unavailable();
            }
            return result;
        } catch (PostgresSession.TransactionPoolingException e) {
            unusable(server.host(), String.valueOf(e.getMessage()));
            leave(server, String.valueOf(e.getMessage()));
            throw unavailable();
        }
    }

    @Override
    public CatalogueVersion version() throws SQLException {
        PostgresPrimary server = requireReady();
        long known = server.lastId();
        CatalogueVersion read = use(server, session -> KnownVersion.read(session, server.epoch()));
        requireContinued(server, known, read.lastId());
        return read;
    }

    /// Leaves a server whose greatest id fell. Errors: [Failure] in that case.
    ///
    /// @param known the greatest id known before `id` was read
    void requireContinued(PostgresPrimary server, long known, long id) {
        if (id < known) {
            leave(server, "an older state of the database was restored");
            throw unavailable();
        }
        server.reached(id);
    }

    /// Uses a host as the primary, unless another host is used that it does not succeed, or its timeline is older than one used before.
    ///
    /// @param id the greatest id of its catalogue
    /// @param committedNs the time when a successful commit began there, by [System#nanoTime]
    void adopt(PostgresHost host, ServerState state, long id, long committedNs) {
        lock.lock();
        try {
            PostgresPrimary before = primary;
            if (closed || timelines.laterThan(state.lineage()).isPresent()
                    || (before != null && before.host() != host && !state.isSuccessorOf(before.state()))) {
                return;
            }
            timelines.adopt(state.lineage());
            if (before != null) {
                leave(before, "another server has taken over");
            }
            boolean first = epoch == 0;
            boolean continued = state.lineage().equals(lineage) && id >= lastId;
            lineage = state.lineage();
            lastId = id;
            epoch += continued ? 0 : 1;
            PostgresPrimary next = new PostgresPrimary(host, state, epoch, id, committedNs, connector, poolSize);
            primary = next;
            if (!continued) {
                newEpochListeners.forEach(Runnable::run);
            }
            next.open();
            if (!first) {
                LOG.info("the database can be used again");
            }
        } catch (RuntimeException e) {
            find().ifPresent(failed -> leave(failed, String.valueOf(e.getMessage())));
            lineage = null;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /// Refuses requests until a server is adopted. Does nothing if another server is used by now.
    void leave(PostgresPrimary server, String reason) {
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
            LOG.error("the database cannot be used: {}", reason);
        }
        // Open sessions may not see the change yet.
        server.host().reconnect();
        Thread.startVirtualThread(server::close);
        wakeWatch.run();
    }

    /// Leaves a server whose last commit is too old.
    void leaveIfExpired() {
        find().filter(server -> !server.isTrusted())
                .ifPresent(server -> leave(server, reasons.getOrDefault(server.host(), NO_COMMIT)));
    }

    @Override
    public void close() {
        closed = true;
        wakeWatch.run();
        lock.lock();
        try {
            find().ifPresent(PostgresPrimary::close);
            primary = null;
        } finally {
            lock.unlock();
        }
    }
}
