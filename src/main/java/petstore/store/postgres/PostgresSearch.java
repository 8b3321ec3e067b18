package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petstore.Closer;
import petstore.CommandFailure;
import petstore.store.Outage;
import petstore.store.SqlFunction;
import petstore.store.postgres.watch.Candidate;
import petstore.store.postgres.watch.Cluster;
import petstore.store.postgres.watch.Refusal;

/// Finds the server of a PostgreSQL database to work with: the primary of the latest timeline that any host has shown, once it commits
/// durably.
final class PostgresSearch {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresSearch.class);
    /// The longest wait of a command whose host may be a typing error: to revoke a key is urgent.
    private static final Duration SHORT_WAIT = Duration.ofSeconds(10);
    static final Duration PAUSE = Duration.ofMillis(250);
    /// The time of one look at an unfinished commit.
    private static final Duration COMMIT_WAIT = Duration.ofSeconds(1);
    /// The longest wait for a server whose timeline cannot be read now, while another one can be used. A standby that accepts no queries
    /// refuses them for ever.
    private static final Duration COMPARISON_WAIT = Duration.ofSeconds(10);

    private final PostgresUri database;
    private final List<PostgresHost> hosts;
    private final boolean toWrite;
    private final Duration doubtfulLimit;
    private Cluster cluster = Cluster.UNKNOWN;
    /// The first host of each cluster that was seen, by system identifier.
    private final Map<String, String> clusters = new HashMap<>();
    private final Map<PostgresHost, CompletableFuture<Candidate<PostgresHost>>> proofs = new HashMap<>();

    /// @param toWrite false for a command that only reads, which may use a standby
    /// @param doubtfulLimit the longest wait for a host whose outlook is doubtful
    PostgresSearch(PostgresUri database, List<PostgresHost> hosts, boolean toWrite, Duration doubtfulLimit) {
        this.database = database;
        this.hosts = hosts;
        this.toWrite = toWrite;
        this.doubtfulLimit = doubtfulLimit;
    }

    static List<PostgresHost> hosts(PostgresUri database) {
        return database.hosts().stream().map(PostgresHost::new).toList();
    }

    /// Uses a host for a command, as [#find], once its own sessions are closed.
    static <T> T forCommand(PostgresUri database, boolean toWrite, Duration wait, SqlFunction<PostgresHost, T> use) {
        List<PostgresHost> hosts = hosts(database);
        try (Closer _ = new Closer(hosts)) {
            return new PostgresSearch(database, hosts, toWrite, SHORT_WAIT).find(wait, " after a wait of %d s",
                    host -> {
                        new Closer(hosts).close();
                        return use.on(host);
                    });
        }
    }

    Cluster cluster() {
        return cluster;
    }

    /// Uses a host, and waits for it if waiting may help.
    ///
    /// @param over says in the message of a failure that the wait is over; may contain `%d` for the seconds
    /// @param use may run again, also after a COMMIT with an unknown outcome
    ///
    /// Errors: [CommandFailure].
    <T> T find(Duration limit, String over, SqlFunction<PostgresHost, T> use) {
        long beganNs = System.nanoTime();
        Outage waiting = waiting();
        while (true) {
            long waitedNs = System.nanoTime() - beganNs;
            Candidate<PostgresHost> best = best(waitedNs < Math.min(limit.toNanos(), COMPARISON_WAIT.toNanos()));
            if (best.refusal().isEmpty()) {
                try {
                    T used = use.on(best.host());
                    waiting.succeeded();
                    return used;
                } catch (SQLException e) {
                    best = refused(best.host(), best.host().refusal(e));
                }
            }
            String reason = best.refusal().orElseThrow().reason();
            // The last attempt begins when the wait is over, and compares no timelines.
            Duration longest = best.isDoubtful() && doubtfulLimit.compareTo(limit) < 0 ? doubtfulLimit : limit;
            boolean late = waitedNs >= longest.toNanos();
            if (late || !best.isTemporary()) {
                throw new CommandFailure("the database " + database + " cannot be used"
                        + (late ? over.formatted(longest.toSeconds()) : "") + ": " + reason);
            }
            waiting.failed(best.host().name() + ": " + reason);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /// Returns the log lines of a wait.
    static Outage waiting() {
        return new Outage(LOG, Level.WARN, "waiting for the database", "the database can be used");
    }

    /// Asks all hosts. Returns the best of them, which can be used only if it has proved that it commits.
    private Candidate<PostgresHost> best(boolean compares) {
        List<Candidate<PostgresHost>> answers = askAll(hosts, PostgresSearch::ask);
        answers.forEach(answer -> answer.server().ifPresent(server -> {
            cluster = cluster.with(server.lineage());
            clusters.putIfAbsent(server.lineage().system(), answer.host().name());
        }));
        Cluster.difference(clusters).ifPresent(difference -> {
            throw new CommandFailure("the database " + database + " cannot be used: " + difference);
        });
        Candidate<PostgresHost> best = Candidate.best(answers.stream().map(this::judge).toList(), compares);
        return best.refusal().isEmpty() ? prove(best) : best;
    }

    /// Returns the results of all hosts, which are asked at the same time.
    static <H, R> List<R> askAll(List<H> hosts, Function<H, R> question) {
        List<CompletableFuture<R>> asked = hosts.stream().map(host -> inBackground(host, question)).toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static <H, R> CompletableFuture<R> inBackground(H host, Function<H, R> question) {
        return CompletableFuture.supplyAsync(() -> question.apply(host),
                asking -> Thread.ofPlatform().name("database-search").daemon().start(asking));
    }

    private static Candidate<PostgresHost> ask(PostgresHost host) {
        try {
            return new Candidate<>(host, Optional.of(host.observe()), Optional.empty());
        } catch (SQLException e) {
            return refused(host, host.refusal(e));
        }
    }

    private static Candidate<PostgresHost> refused(PostgresHost host, Refusal refusal) {
        return new Candidate<>(host, Optional.empty(), Optional.of(refusal));
    }

    /// Called when all hosts have been asked, so that the latest timeline is known.
    private Candidate<PostgresHost> judge(Candidate<PostgresHost> answer) {
        Optional<Refusal> refusal = answer.server().flatMap(server -> Refusal.of(server, cluster, toWrite));
        // Its address may lead to another server by the next time.
        refusal.ifPresent(_ -> answer.host().reconnect());
        return new Candidate<>(answer.host(), answer.server(), refusal.or(answer::refusal));
    }

    /// Waits for a moment until the host has proved that it commits. An unfinished commit is looked at again the next time.
    private Candidate<PostgresHost> prove(Candidate<PostgresHost> usable) {
        PostgresHost host = usable.host();
        CompletableFuture<Candidate<PostgresHost>> proof = proofs.computeIfAbsent(host,
                _ -> inBackground(usable, this::proved));
        try {
            Candidate<PostgresHost> proved = proof.get(COMMIT_WAIT.toMillis(), TimeUnit.MILLISECONDS);
            proofs.remove(host);
            // A late proof proves nothing for the next run of its server.
            return proved.refusal().isPresent() || proved.equals(usable) ? proved : prove(usable);
        } catch (TimeoutException e) {
            return refused(host, new Refusal(host.prover().reason().orElse("no commit has completed yet"),
                    Refusal.Outlook.DOUBTFUL));
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Candidate<PostgresHost> proved(Candidate<PostgresHost> usable) {
        try {
            usable.host().prover().prove(usable.server().orElseThrow(), toWrite);
            return usable;
        } catch (SQLException e) {
            return refused(usable.host(), usable.host().refusal(e));
        }
    }
}
