package petstore.cli.doctor;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import petstore.store.SchemaPolicy;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresInspection;
import petstore.store.postgres.PostgresUri;

record DatabaseChecks(PostgresUri uri, SchemaPolicy migrate, int readers, Clock clock) {

    private static final Set<String> OVERRULED = Set.of("off", "local", "remote_write");
    private static final String PASSING = "serve and commands wait for it";
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);

    List<Finding> findings() {
        List<PostgresInspection.Outcome> outcomes = PostgresInspection.of(uri);
        boolean hasPrimary = outcomes.stream().flatMap(outcome -> outcome.state().stream())
                .anyMatch(state -> !state.standby() && !state.readOnly());
        List<Finding> findings = new ArrayList<>();
        findings.add(hasPrimary
                ? Finding.ok("database", uri.toString())
                : Finding.fail("database", uri + " has no host that accepts writes",
                        "see the lines of its hosts, and --database"));
        for (PostgresInspection.Outcome outcome : outcomes) {
            outcome.state().ifPresentOrElse(state -> findings.addAll(host(state)),
                    () -> findings.add(new Finding(hasPrimary ? Finding.State.WARN : Finding.State.FAIL, "host",
                            outcome.host() + ": " + outcome.problem(), outcome.passing() ? PASSING : "")));
        }
        return findings;
    }

    private List<Finding> host(PostgresInspection state) {
        String host = state.host() + ": ";
        List<Finding> findings = new ArrayList<>();
        String role = state.standby() ? "standby" : state.readOnly() ? "read-only" : "primary";
        findings.add(Finding.ok("host", host + "PostgreSQL " + state.version() + ", " + role + ", "
                + state.maxConnections() + " connections at most"));
        if (state.maxConnections() < readers + Postgres.FURTHER_CONNECTIONS) {
            findings.add(Finding.warn("connections", host + "max_connections is too low for --database-readers "
                    + readers, "raise it, or lower --database-readers"));
        }
        findings.add(durability(host, state));
        findings.add(Finding.ok("pooler", host + (state.pooled()
                ? "a pooler passes on the connection, and keeps sessions apart"
                : "none")));
        if (!state.encoding().equals("UTF8")) {
            findings.add(Finding.fail("encoding", host + state.encoding() + " cannot keep every name",
                    "make a database with createdb --encoding=UTF8 --template=template0"));
        }
        findings.add(state.schema() == 0
                ? tables(host, state)
                : FolderChecks.schema("schema", state.schema(), migrate, "on " + state.host()));
        Duration difference = Duration.between(state.now(), clock.instant()).abs();
        if (difference.compareTo(CLOCK_TOLERANCE) > 0) {
            findings.add(Finding.warn("database clock", host + "differs by " + difference.toSeconds() + " s",
                    "set the clocks of both machines: keys expire by the database's"));
        }
        return findings;
    }

    private static Finding durability(String host, PostgresInspection state) {
        if (!state.off().isEmpty()) {
            return Finding.fail("durability", host + state.off() + " is off: it would lose data",
                    "set it to on");
        }
        String text = host + "fsync and full_page_writes are on, synchronous_commit is " + state.synchronousCommit();
        return OVERRULED.contains(state.synchronousCommit())
                ? Finding.warn("durability", text, "petstore overrules it with on for its own transactions")
                : Finding.ok("durability", text);
    }

    private Finding tables(String host, PostgresInspection state) {
        if (migrate == SchemaPolicy.CHECK) {
            return Finding.fail("schema", host + "there are no tables", "start with --migrate auto");
        }
        return state.obstacle().isEmpty()
                ? Finding.ok("schema", host + "there are no tables yet; the first start makes them")
                : Finding.fail("schema", host + "there are no tables, and no store can be created", state.obstacle());
    }
}
