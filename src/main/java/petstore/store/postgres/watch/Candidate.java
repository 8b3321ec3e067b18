package petstore.store.postgres.watch;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A host that was asked at a start or by a command.
///
/// @param server absent if it could not be asked
/// @param refusal absent if it can be used
public record Candidate<H>(H host, Optional<ServerState> server, Optional<Refusal> refusal) {

    /// Returns the usable host of the latest timeline, primaries first; else a host for which waiting may help.
    ///
    /// @param compares true to wait for a host that responds but cannot be asked for now, because it may be on a later timeline
    public static <H> Candidate<H> best(List<Candidate<H>> all, boolean compares) {
        return all.stream().filter(host -> compares && host.server.isEmpty() && host.has(Refusal.Outlook.PASSING))
                .findFirst()
                .orElseGet(() -> Collections.max(all, Comparator.<Candidate<H>>comparingInt(Candidate::rank)
                        .thenComparingLong(Candidate::timeline)));
    }

    /// Returns 4 for a usable primary, 3 for a usable standby, and 1 or 2 if waiting may help.
    private int rank() {
        if (refusal.isPresent()) {
            return !isTemporary() ? 0 : isDoubtful() ? 1 : 2;
        }
        return server.filter(ServerState::standby).isPresent() ? 3 : 4;
    }

    private long timeline() {
        return server.filter(_ -> refusal.isEmpty()).map(state -> state.lineage().timeline()).orElse(0L);
    }

    /// Returns true if waiting may help.
    public boolean isTemporary() {
        return refusal.isPresent() && !has(Refusal.Outlook.LASTING);
    }

    public boolean isDoubtful() {
        return has(Refusal.Outlook.DOUBTFUL);
    }

    private boolean has(Refusal.Outlook outlook) {
        return refusal.filter(reason -> reason.outlook() == outlook).isPresent();
    }
}
