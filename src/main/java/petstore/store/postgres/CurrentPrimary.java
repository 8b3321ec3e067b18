package petstore.store.postgres;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    private final int poolSize;
    private final Runnable wakeWatch;
    private final List<Runnable> newLineageListeners = new CopyOnWriteArrayList<>();
    /// The reasons why hosts cannot be used.
    private final Map<PostgresHost, String> reasons = new ConcurrentHashMap<>();
    private final Queue<PostgresPrimary> left = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;
    /// Guards changes of the following fields.
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable PostgresPrimary primary;
    private ServerState.@Nullable Lineage lineage;
    private CatalogueVersion last = new CatalogueVersion(0, 0);
    private long epochsBefore;

    /// @param wakeWatch called after a server was left, and at the end
    CurrentPrimary(PostgresConnector connector, int poolSize, Runnable wakeWatch) {
        this.connector = connector;
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
        return new Failure(Failure.Unavailability.NO_PRIMARY,
                "the database cannot be used" + (why.isEmpty() ? "" : ": " + why));
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public Optional<Long> findEpoch() {
        return requireReady().findEpoch();
    }

    @Override
    public void onNewLineage(Runnable listener) {
        newLineageListeners.add(listener);
    }

    void usable(PostgresHost host) {
        reasons.remove(host);
    }

    /// Records the reason why a host cannot be used. Returns true if it is a new one.
    boolean unusable(PostgresHost host, String reason) {
        return !reason.equals(reasons.put(host, reason));
    }

    @Override
    public <T> T use(Use<T> use) throws SQLException {
        return use(requireReady(), use);
    }

    @Override
    public <T> T useUnqueued(Use<T> use) throws SQLException {
        return use(find().orElseThrow(this::unavailable), use);
    }

    /// Uses a session on a server. Refuses the result if the server was left meanwhile: a read may be stale, a write may be lost.
    private <T> T use(PostgresPrimary server, Use<T> use) throws SQLException {
        long beganNs = System.nanoTime();
        try (PostgresSession session = server.connect()) {
            T result = use.on(session);
            if (primary != server) {
                throw unavailable();
            }
            if (session.hasCommitted()) {
                server.committed(beganNs);
            }
            return result;
        } catch (PostgresSession.TransactionPoolingException e) {
            unusable(server.host(), PostgresErrors.message(e));
            leave(server, PostgresErrors.message(e));
            throw unavailable();
        }
    }

    @Override
    public CatalogueVersion version() throws SQLException {
        PostgresPrimary server = requireReady();
        CatalogueVersion known = server.version();
        long beganNs = System.nanoTime();
        return requireContinued(server, known, use(server, KnownVersion::read), beganNs);
    }

    /// Records a version that was read on a server, and returns it. If animals were changed by SQL, the epoch rises. Errors: [Failure] if
    /// the version fell, and the server is left; also if it was left before, because the epochs of its successor may be the same.
    ///
    /// @param known the version known before the reading
    /// @param read its epoch is the store's number of changes
    CatalogueVersion requireContinued(PostgresPrimary server, CatalogueVersion known, CatalogueVersion read,
            long beganNs) {
        CatalogueVersion version = server.versionOf(read);
        lock.lock();
        try {
            if (version.fellBelow(known)) {
                leave(server, "an older state of the database was restored");
            }
            if (primary != server) {
                throw unavailable();
            }
            server.reached(version, beganNs);
            return version;
        } finally {
            lock.unlock();
        }
    }

    /// Uses a host as the primary, unless another host is used that it does not succeed, or a later timeline is known.
    ///
    /// @param read the version of its catalogue; its epoch is the store's number of changes
    /// @param committedNs the time when a successful commit and the reading began there, by [System#nanoTime]
    void adopt(PostgresHost host, ServerState state, CatalogueVersion read, long committedNs) {
        lock.lock();
        try {
            PostgresPrimary before = primary;
            if (closed || host.laterTimeline().isPresent()
                    || (before != null && before.host() != host && !state.isSuccessorOf(before.state()))) {
                return;
            }
            if (before != null) {
                leave(before, "another server has taken over");
            }
            boolean first = last.epoch() == 0;
            boolean continued = state.lineage().equals(lineage) && !read.plusEpochs(epochsBefore).fellBelow(last);
            lineage = state.lineage();
            epochsBefore = continued ? epochsBefore : last.epoch() + 1 - read.epoch();
            last = read.plusEpochs(epochsBefore);
            PostgresPrimary next = new PostgresPrimary(host, state, epochsBefore, last, committedNs, connector,
                    poolSize);
            primary = next;
            if (!continued) {
                newLineageListeners.forEach(Runnable::run);
            }
            next.open();
            if (!first) {
                LOG.info("the database can be used again");
            }
        } catch (Throwable e) {
            find().ifPresent(failed -> leave(failed, PostgresErrors.message(e)));
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
            last = server.version();
        } finally {
            lock.unlock();
        }
        if (server.wasOpened()) {
            LOG.error("the database cannot be used: {}", reason);
        }
        // Open sessions may not see the change yet.
        server.host().reconnect();
        left.add(server);
        wakeWatch.run();
    }

    /// Closes the servers that were left. Blocks.
    void closeLeft() {
        for (PostgresPrimary server = left.poll(); server != null; server = left.poll()) {
            server.close();
        }
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
