package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Closer;
import petstore.Failure;

/// Finds the server of a PostgreSQL database to work with: the primary of the latest timeline, once it commits durably.
final class PostgresSearch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresSearch.class);
    static final Duration LOG_INTERVAL = Duration.ofSeconds(5);
    private static final Duration COMMAND_WAIT = Duration.ofMinutes(2);
    static final String COMMAND_WAIT_IS_OVER = " after a wait of " + COMMAND_WAIT.toMinutes() + " minutes";
    private static final Duration PAUSE = Duration.ofMillis(250);
    /// The SQLSTATE classes of refusals that pass by themselves: a lack of resources, and a server that is starting or stopping.
    private static final Set<String> PASSING = Set.of("53", "57");

    /// The first use of a host, which can be refused as the search can.
    @FunctionalInterface
    interface Use<T> {
        T of(PostgresHost host) throws SQLException;
    }

    /// The response of a host.
    ///
    /// @param state null if the host cannot be used
    /// @param cause the reason why it cannot be used
    /// @param temporary true if waiting may help
    private record Result(PostgresHost host, @Nullable ServerState state, SQLException cause, boolean temporary) {
    }

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
        return database.hosts().stream().map(host -> new PostgresHost(connector, host)).toList();
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
            Result result = best();
            if (result.state() != null) {
                try {
                    return use.of(result.host());
                } catch (SQLException e) {
                    result = failed(result.host(), e);
                }
            }
            long now = System.nanoTime();
            boolean late = now - beganNs >= limit.toNanos();
            if (late || !result.temporary()) {
                throw PostgresErrors.failure("the database " + database + " cannot be used"
                        + (late ? over : ""), result.cause());
            }
            if (now - loggedNs >= LOG_INTERVAL.toNanos()) {
                LOG.warn("waiting for the database: {}", PostgresErrors.reason(result.cause()));
                loggedNs = now;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /// Returns the usable host of the latest timeline; else a host for which waiting may help; else the first.
    private Result best() {
        Result best = Collections.max(askAll(hosts, this::ask), Comparator.comparingLong(PostgresSearch::rank));
        return best.state() == null ? best : prove(best);
    }

    /// Returns the results of all hosts, which are asked at the same time.
    static <H, R> List<R> askAll(List<H> hosts, Function<H, R> question) {
        List<CompletableFuture<R>> asked = hosts.stream()
                .map(host -> CompletableFuture.supplyAsync(() -> question.apply(host),
                        asking -> Thread.ofPlatform().name("database-search").daemon().start(asking)))
                .toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    /// Returns a number that is greater for a preferred host.
    private static long rank(Result result) {
        return result.state() == null ? (result.temporary() ? -1 : -2) : result.state().lineage().timeline();
    }

    private Result ask(PostgresHost host) {
        try {
            ServerState state = host.observe();
            return state.losesData().or(state::cannotCommit).filter(_ -> toWrite)
                    .map(reason -> new Result(host, null, new SQLException(reason), state.losesData().isEmpty()))
                    .orElseGet(() -> new Result(host, state, new SQLException(), false));
        } catch (SQLException e) {
            return failed(host, e);
        }
    }

    private static Result failed(PostgresHost host, SQLException cause) {
        String state = String.valueOf(cause.getSQLState());
        return new Result(host, null, cause, PASSING.stream().anyMatch(state::startsWith));
    }

    private Result prove(Result usable) {
        try {
            usable.host().prove(toWrite);
            return usable;
        } catch (SQLException e) {
            return new Result(usable.host(), null, e, !(e instanceof PostgresSession.TransactionPoolingException));
        }
    }
}
