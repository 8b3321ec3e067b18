package petstore.store.postgres;

import java.io.EOFException;
import java.net.SocketException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Closer;
import petstore.Failure;

/// Finds the server of a PostgreSQL database to work with: the primary of the latest timeline that any host has shown, once it commits
/// durably.
final class PostgresSearch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresSearch.class);
    static final Duration LOG_INTERVAL = Duration.ofSeconds(5);
    private static final Duration COMMAND_WAIT = Duration.ofMinutes(2);
    static final String COMMAND_WAIT_IS_OVER = " after a wait of " + COMMAND_WAIT.toMinutes() + " minutes";
    private static final Duration PAUSE = Duration.ofMillis(250);
    /// The longest wait for a server whose timeline cannot be read now, while another one can be used. A standby that accepts no queries
    /// refuses them for ever.
    private static final Duration COMPARISON_WAIT = Duration.ofSeconds(10);
    /// The SQLSTATEs and their classes of failures that pass by themselves: an address that moved, a lack of resources, a table or schema in use,
    /// and a server that is starting or stopping.
    private static final Set<String> PASSING = Set.of(ServerState.OTHER_SERVER, "53", "55P03",
            PostgresSchema.IN_USE, "57");
    /// The SQLSTATE of a session that broke, which passes, and of a certificate that the driver cannot use, which does not.
    private static final String BROKEN = "08006";

    /// The first use of a host, which can be refused as the search can.
    @FunctionalInterface
    interface Use<T> {
        T of(PostgresHost host) throws SQLException;
    }

    /// The response of a host.
    ///
    /// @param obstacle the reason why the host cannot be used; null if it can
    /// @param temporary true if waiting may help
    private record Result(PostgresHost host, @Nullable SQLException obstacle, boolean temporary) {

        boolean isUsable() {
            return obstacle == null;
        }

        boolean isUsableStandby() {
            return isUsable() && host.state().standby();
        }

        /// Returns the timeline; 0 if the host cannot be used.
        long timeline() {
            return isUsable() ? host.state().lineage().timeline() : 0;
        }
    }

    private static final Comparator<Result> PREFERENCE = Comparator.comparing(Result::isUsable)
            .thenComparing(Result::temporary).thenComparing(result -> !result.isUsableStandby())
            .thenComparingLong(Result::timeline);

    private final PostgresUri database;
    private final List<PostgresHost> hosts;
    private final boolean toWrite;

    /// @param toWrite false for a command that only reads, which may use a standby
    PostgresSearch(PostgresUri database, List<PostgresHost> hosts, boolean toWrite) {
        this.database = database;
        this.hosts = hosts;
        this.toWrite = toWrite;
    }

    static List<PostgresHost> hosts(PostgresConnector connector, PostgresUri database) {
        LatestTimelines timelines = new LatestTimelines();
        return database.hosts().stream().map(host -> new PostgresHost(connector, host, timelines)).toList();
    }

    /// Uses a host for a command, as [#find], once its own sessions are closed.
    static <T> T forCommand(PostgresConnector connector, PostgresUri database, boolean toWrite, Use<T> use) {
        List<PostgresHost> hosts = hosts(connector, database);
        try (Closer _ = new Closer(hosts)) {
            return new PostgresSearch(database, hosts, toWrite).find(COMMAND_WAIT, COMMAND_WAIT_IS_OVER, host -> {
                Closer.closeAll(hosts);
                return use.of(host);
            });
        }
    }

    /// Uses a host, and waits for it if waiting may help.
    ///
    /// @param over says in the message of a failure that the wait is over
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` with a message for the operator.
    <T> T find(Duration limit, String over, Use<T> use) {
        long beganNs = System.nanoTime();
        long loggedNs = beganNs - LOG_INTERVAL.toNanos();
        while (true) {
            long waitedNs = System.nanoTime() - beganNs;
            Result result = best(waitedNs < Math.min(limit.toNanos(), COMPARISON_WAIT.toNanos()));
            if (result.obstacle() == null) {
                try {
                    return use.of(result.host());
                } catch (SQLException e) {
                    result = failed(result.host(), e);
                }
            }
            long now = System.nanoTime();
            // The last attempt begins when the wait is over, and compares no timelines.
            boolean late = waitedNs >= limit.toNanos();
            SQLException obstacle = Objects.requireNonNull(result.obstacle());
            if (late || !result.temporary()) {
                throw PostgresErrors.failure("the database " + database + " cannot be used"
                        + (late ? over : ""), obstacle);
            }
            if (now - loggedNs >= LOG_INTERVAL.toNanos()) {
                LOG.warn("waiting for the database: {}", PostgresErrors.reason(obstacle));
                loggedNs = now;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /// Returns the usable host of the latest timeline, primaries first; else a host for which waiting may help.
    ///
    /// @param compares true to prefer a host that refuses for now, because it may be on a later timeline
    private Result best(boolean compares) {
        List<Result> results = askAll(hosts, this::ask).stream().map(PostgresSearch::refuseOlder).toList();
        Result best = results.stream().filter(result -> compares && passes(result.obstacle())).findFirst()
                .orElseGet(() -> Collections.max(results, PREFERENCE));
        return best.isUsable() ? prove(best) : best;
    }

    /// Returns the results of all hosts, which are asked at the same time.
    static <H, R> List<R> askAll(List<H> hosts, Function<H, R> question) {
        List<CompletableFuture<R>> asked = hosts.stream()
                .map(host -> CompletableFuture.supplyAsync(() -> question.apply(host),
                        asking -> Thread.ofPlatform().name("database-search").daemon().start(asking)))
                .toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private Result ask(PostgresHost host) {
        try {
            ServerState state = host.observe();
            return state.losesData().or(state::cannotCommit).filter(_ -> toWrite)
                    .map(reason -> new Result(host, new SQLException(reason), state.losesData().isEmpty()))
                    .orElseGet(() -> new Result(host, null, false));
        } catch (SQLException e) {
            return failed(host, e);
        }
    }

    /// Called when all hosts have been asked. A standby may always lack animals.
    private static Result refuseOlder(Result result) {
        Optional<String> reason = result.isUsable() && !result.isUsableStandby()
                ? result.host().olderTimeline()
                : Optional.empty();
        // Its address may lead to another server by the next time.
        reason.ifPresent(_ -> result.host().reconnect());
        return reason.map(text -> new Result(result.host(), new SQLException(text), true)).orElse(result);
    }

    private static Result failed(PostgresHost host, SQLException cause) {
        return new Result(host, cause, passes(cause));
    }

    private static boolean passes(@Nullable SQLException obstacle) {
        String state = obstacle == null ? "" : String.valueOf(obstacle.getSQLState());
        return PASSING.stream().anyMatch(state::startsWith) || (state.equals(BROKEN) && obstacle != null
                && (obstacle.getCause() instanceof EOFException || obstacle.getCause() instanceof SocketException));
    }

    private Result prove(Result usable) {
        try {
            usable.host().prove(toWrite);
            return usable;
        } catch (SQLException e) {
            return new Result(usable.host(), e, !(e instanceof PostgresSession.TransactionPoolingException));
        }
    }
}
