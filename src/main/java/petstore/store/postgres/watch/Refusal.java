package petstore.store.postgres.watch;

import java.util.Optional;

/// The reason why a host cannot be used now.
///
/// @param later the later timeline that another server was on; absent for other reasons
public record Refusal(String reason, Outlook outlook, Optional<Long> later) {

    public enum Outlook {
        /// Waiting does not help.
        LASTING,
        /// Waiting may help.
        PASSING,
        /// No server responds, e.g. of a machine without power. Waiting may help if no other host can be used.
        UNREACHABLE
    }

    public Refusal(String reason, Outlook outlook) {
        this(reason, outlook, Optional.empty());
    }

    /// Returns the refusal of a server; absent if it can be used once it proves that it commits. This rule is the same for the start,
    /// for commands and for the watch.
    ///
    /// @param timelines those that any server has shown
    /// @param toWrite false for a command that only reads: it may use a standby, which may always lack animals
    public static Optional<Refusal> of(ServerState server, Timelines timelines, boolean toWrite) {
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
        return olderTimeline(server.lineage(), timelines).filter(_ -> !server.standby());
    }

    /// Returns the refusal of a server's timeline; absent if no later one is known.
    static Optional<Refusal> olderTimeline(ServerState.Lineage lineage, Timelines timelines) {
        return timelines.laterThan(lineage).map(later -> new Refusal("the server is on the older timeline "
                + lineage.timeline() + "; another server was on timeline " + later, Outlook.PASSING,
                Optional.of(later)));
    }
}
