package petstore.cli.doctor;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresInspection;
import petstore.store.postgres.PostgresUri;

record DatabaseChecks(PostgresUri uri, int readers, Clock clock) {

    private static final Set<String> OVERRULED = Set.of("off", "local", "remote_write");
    private static final String PASSING = "serve and commands wait for it";
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);

    List<Check> all() {
        return List.of(new Check("database", () -> hosts(PostgresInspection.of(uri))));
    }

    private List<Finding> hosts(List<PostgresInspection.Outcome> outcomes) {
        boolean hasPrimary = outcomes.stream().flatMap(outcome -> outcome.state().stream())
                .anyMatch(state -> !state.standby() && !state.readOnly());
        List<Finding> findings = new ArrayList<>();
        findings.add(hasPrimary
                ? Finding.ok(uri.toString())
                : Finding.fail(uri + " has no host that accepts writes", "see the lines of its hosts, and --database"));
        for (PostgresInspection.Outcome outcome : outcomes) {
            outcome.state().ifPresentOrElse(state -> findings.addAll(host(state)),
                    () -> findings.add(new Finding(hasPrimary ? Finding.State.WARN : Finding.State.FAIL,
                            outcome.host() + ": " + outcome.problem(), outcome.passing() ? PASSING : "")));
        }
        return findings;
    }

    private List<Finding> host(PostgresInspection state) {
        String host = state.host() + ": ";
        String role = state.standby() ? "standby" : state.readOnly() ? "read-only" : "primary";
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(host + "PostgreSQL " + state.version() + ", " + role + ", " + state.maxConnections()
                + " connections at most, " + FolderChecks.schema(state.schema())
                + (state.pooled() ? ", behind a pooler that keeps sessions apart" : "")));
        if (state.schema() == 0 && !state.obstacle().isEmpty()) {
            findings.add(Finding.fail(host + "no store can be created", state.obstacle()));
        }
        if (state.maxConnections() < readers + Postgres.FURTHER_CONNECTIONS) {
            findings.add(Finding.warn(host + "max_connections is too low for --database-readers " + readers,
                    "raise it, or lower --database-readers"));
        }
        if (!state.off().isEmpty()) {
            findings.add(Finding.fail(host + state.off() + " is off: it would lose data", "set it to on"));
        } else if (OVERRULED.contains(state.synchronousCommit())) {
            findings.add(Finding.warn(host + "synchronous_commit is " + state.synchronousCommit(),
                    "petstore overrules it with on for its own transactions"));
        }
        Duration difference = Duration.between(state.now(), clock.instant()).abs();
        if (difference.compareTo(CLOCK_TOLERANCE) > 0) {
            findings.add(Finding.warn(host + "its clock differs by " + difference.toSeconds() + " s",
                    "set the clocks of both machines: keys expire by the database's"));
        }
        return findings;
    }
}
