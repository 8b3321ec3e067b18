package petstore.store.postgres.watch;

import java.util.Optional;

/// The reason why a host cannot be used now.
///
/// @param advice added to the reason in the log, once, of a server that would show other animals; empty for other reasons
public record Refusal(String reason, Outlook outlook, String advice) {

    public enum Outlook {
        /// Waiting does not help.
        LASTING,
        /// Waiting may help.
        PASSING,
        /// Waiting may help, e.g. until a name exists or a standby is back. A command does not wait for long.
        DOUBTFUL,
        /// No server responds, e.g. of a machine without power. Waiting may help if no other host can be used.
        UNREACHABLE
    }

    public Refusal(String reason, Outlook outlook) {
        this(reason, outlook, "");
    }

    /// Returns the refusal of a server; absent if it can be used once it proves that it commits. This rule is the same for the start,
    /// for commands and for the watch.
    ///
    /// @param toWrite false for a command that only reads: it may use a standby, which may always lack animals
    public static Optional<Refusal> of(ServerState server, Cluster cluster, boolean toWrite) {
        if (!cluster.has(server.lineage())) {
            return Optional.of(new Refusal("the server is of another cluster (system identifier "
                    + server.lineage().system() + ", not " + cluster.system() + "); restart this service to use it",
                    Outlook.LASTING, "; its animals are others"));
        }
        if (toWrite && !server.off().isEmpty()) {
            return Optional.of(new Refusal("the database would lose data: its setting " + server.off() + " is off",
                    Outlook.LASTING));
        }
        if (toWrite && server.standby()) {
            return Optional.of(new Refusal("the database is a standby", Outlook.PASSING));
        }
        if (toWrite && server.readOnly()) {
            return Optional.of(
                    new Refusal("the database is read-only (default_transaction_read_only)", Outlook.PASSING));
        }
        return olderTimeline(server.lineage(), cluster).filter(_ -> !server.standby());
    }

    /// Returns the refusal of a server's timeline; absent if no later one is known.
    static Optional<Refusal> olderTimeline(ServerState.Lineage lineage, Cluster cluster) {
        return Optional.of(cluster.timeline()).filter(later -> later > lineage.timeline())
                .map(later -> new Refusal("the server is on the older timeline " + lineage.timeline()
                        + "; another server was on timeline " + later, Outlook.PASSING,
                        ", so animals may be missing; start"
                                + " a primary of that timeline or a later one, or see docs/postgresql.md to go back"));
    }
}
