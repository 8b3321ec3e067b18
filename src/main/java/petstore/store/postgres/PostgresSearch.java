package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;

/// Finds the server of a PostgreSQL database to work with: the primary of the latest timeline, once it commits durably.
final class PostgresSearch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresSearch.class);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(250);
    /// The SQLSTATE class of a server that is starting or stopping.
    private static final String OPERATOR_INTERVENTION = "57";

    /// The response of a host.
    ///
    /// @param state absent if the host cannot be used
    /// @param cause why it cannot be used
    /// @param temporary true if waiting may help
    private record Result(PostgresHost host, @Nullable ServerState state, SQLException cause, boolean temporary) {

        static Result usable(PostgresHost host, ServerState state) {
            return new Result(host, state, new SQLException(), false);
        }

        static Result unusable(PostgresHost host, SQLException cause, boolean temporary) {
            return new Result(host, null, cause, temporary);
        }

        String reason() {
            return cause.getMessage() + advice(cause);
        }
    }

    private final List<PostgresHost> hosts;
    private final boolean toWrite;

    private PostgresSearch(List<PostgresHost> hosts, boolean toWrite) {
        this.hosts = hosts;
        this.toWrite = toWrite;
    }

    /// Returns the host to use, and waits for it if waiting may help.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` with a message for the operator.
    ///
    /// @param toWrite false for a command that only reads, which may use a standby
    static PostgresHost find(PostgresUri database, List<PostgresHost> hosts, boolean toWrite, DatabaseWait wait) {
        wait.setActive(true);
        try {
            return new PostgresSearch(hosts, toWrite).find(database, wait.limit());
        } finally {
            wait.setActive(false);
        }
    }

    private PostgresHost find(PostgresUri database, Duration limit) {
        long beganNs = System.nanoTime();
        long loggedNs = beganNs - LOG_INTERVAL.toNanos();
        while (true) {
            Result result = best();
            if (result.state() != null) {
                return result.host();
            }
            long now = System.nanoTime();
            boolean late = now - beganNs >= limit.toNanos();
            if (late || !result.temporary()) {
                throw new Failure(Failure.Kind.UNAVAILABLE, "the database " + database + " cannot be used"
                        + (late ? " and --database-wait is over: " : ": ") + result.reason(), result.cause());
            }
            if (now - loggedNs >= LOG_INTERVAL.toNanos()) {
                LOG.warn("Waiting for the database: {}", result.reason());
                loggedNs = now;
            }
            pause();
        }
    }

    /// Returns the usable host of the latest timeline; else a host for which waiting may help; else the first.
    private Result best() {
        List<CompletableFuture<Result>> asked = hosts.stream()
                .map(host -> CompletableFuture.supplyAsync(() -> ask(host),
                        asking -> Thread.ofPlatform().name("database-search").daemon().start(asking)))
                .toList();
        List<Result> results = new ArrayList<>(asked.stream().map(CompletableFuture::join).toList());
        results.sort((one, other) -> rank(other).compareTo(rank(one)));
        Result best = results.getFirst();
        return best.state() == null ? best : prove(best);
    }

    /// Returns a text that is greater for a preferred host.
    private static String rank(Result result) {
        return result.state() == null ? (result.temporary() ? "1" : "0") : "2" + result.state().lineage().timeline();
    }

    private Result ask(PostgresHost host) {
        try {
            ServerState state = host.observe();
            Optional<String> never = toWrite ? state.losesData() : Optional.empty();
            Optional<String> notNow = toWrite ? state.cannotCommit() : Optional.empty();
            return never.map(reason -> Result.unusable(host, new SQLException(reason), false))
                    .or(() -> notNow.map(reason -> Result.unusable(host, new SQLException(reason), true)))
                    .orElseGet(() -> Result.usable(host, state));
        } catch (SQLException e) {
            return Result.unusable(host, e, String.valueOf(e.getSQLState()).startsWith(OPERATOR_INTERVENTION));
        }
    }

    private Result prove(Result usable) {
        try {
            usable.host().prove(toWrite);
            return usable;
        } catch (SQLException e) {
            return Result.unusable(usable.host(), e, !(e instanceof PostgresSession.TransactionPoolingException));
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("the wait for the database was interrupted");
        }
    }

    /// Returns advice for the operator by the SQLSTATE of an error.
    static String advice(SQLException e) {
        return switch (String.valueOf(e.getSQLState())) {
            case "28P01", "28000", "08004" ->
                "; the password of --database or --to comes from PETSTORE_DATABASE_PASSWORD, PETSTORE_DATABASE_PASSWORD_FILE, the pgpass file, or an address in PETSTORE_DATABASE or PETSTORE_TO";
            case "3D000" -> "; make it with createdb, or name another (--database or --to)";
            case "42501" -> "; the user must own the database, or be allowed to create tables in its schema";
            case "08001" -> "; see that it runs and that its address (--database or --to) is right";
            default -> "";
        };
    }
}
