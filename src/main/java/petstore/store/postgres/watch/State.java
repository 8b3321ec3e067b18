package petstore.store.postgres.watch;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The state of the watch: the server in use, and what outlasts it. Immutable, except for the numbers of an [Adoption].
///
/// @param term the number of servers that were left, also during their opening; a term has at most one server
/// @param last the server of this term or of an earlier one
/// @param continued the server whose epoch may continue; absent unless it was the last, was opened, and its version did not fall
/// @param reasons the reasons why hosts cannot be used, by host
public record State(long term, Phase phase, Optional<Adoption> last, Optional<ServerState> continued,
        Cluster cluster, Map<String, String> reasons) {

    public interface Connections extends AutoCloseable {
        @Override
        void close();
    }

    public sealed interface Phase {
    }

    /// No server can be used.
    public record None() implements Phase {
    }

    /// Connections to a server are being opened. Requests are refused.
    public record Opening(Adoption adoption) implements Phase {
    }

    /// Requests use a server.
    public record Primary(Adoption adoption, Connections connections) implements Phase {
    }

    public record Closed() implements Phase {
    }

    /// The state before any server is used.
    public State(Cluster cluster) {
        this(0, new None(), Optional.empty(), Optional.empty(), cluster, Map.of());
    }

    /// Returns the server that is used, or being opened.
    public Optional<Adoption> used() {
        return last.filter(_ -> phase instanceof Opening || phase instanceof Primary);
    }

    /// Returns the hosts and the reasons why they cannot be used, e.g. `db1:5432: the database is a standby`.
    public String reason() {
        if (reasons.isEmpty()) {
            return phase instanceof Primary(var adoption, _)
                    ? line(adoption.host(), "the last commit is too old")
                    : "no commit has completed yet";
        }
        return reasons.entrySet().stream().map(each -> line(each.getKey(), each.getValue())).sorted()
                .collect(Collectors.joining("; "));
    }

    static String line(String host, String reason) {
        return host + ": " + reason;
    }

    /// Returns the message of a failure because no server is used.
    public String unavailable() {
        return "the database cannot be used: " + reason();
    }

    /// Until the server is opened, no epoch can continue: the API keys in memory may be those of another server.
    State opening(Adoption adoption) {
        return new State(term, new Opening(adoption), Optional.of(adoption), Optional.empty(), cluster, reasons);
    }

    /// No epoch can continue.
    State restored() {
        return new State(term, phase, last, Optional.empty(), cluster, reasons);
    }

    State opened(Connections connections) {
        Adoption adoption = last.orElseThrow();
        return new State(term, new Primary(adoption, connections), last, Optional.of(adoption.server()),
                cluster, reasons).withReason(adoption.host(), Optional.empty());
    }

    State left(Phase next) {
        return new State(term + 1, next, last, continued, cluster, reasons);
    }

    State withShown(ServerState.Lineage shown) {
        return new State(term, phase, last, continued, cluster.with(shown), reasons);
    }

    /// Returns the state with a reason for a host; absent if it can be used.
    State withReason(String host, Optional<String> reason) {
        Map<String, String> all = new HashMap<>(reasons);
        reason.ifPresentOrElse(text -> all.put(host, text), () -> all.remove(host));
        return new State(term, phase, last, continued, cluster, Map.copyOf(all));
    }
}
