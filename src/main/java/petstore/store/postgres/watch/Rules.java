package petstore.store.postgres.watch;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import petstore.CatalogueVersion;
import petstore.store.postgres.watch.Effect.AskAll;
import petstore.store.postgres.watch.Effect.Close;
import petstore.store.postgres.watch.Effect.Log;
import petstore.store.postgres.watch.Effect.Unusable;
import petstore.store.postgres.watch.Effect.Usable;

/// The rules of the watch. They keep every acknowledged animal:
///
/// - A server is opened only if it has committed durably in this term, and no server has shown a later timeline of its cluster.
/// - It is left as soon as a later timeline shows, it must not be used, or its last commit is too old. A failed commit only lets the
///   last one grow older. A server whose commits take more than half of that age is not opened: the next one would be too late.
/// - An observation of an earlier term changes nothing. So what a request did on a server that was left is not acknowledged.
/// - An epoch continues only with the same run of a server that was opened, and a version that did not fall. A restarted server may have
///   an older state, to which others have added as many animals.
final class Rules {

    private static final Duration SLOWEST = Adoption.TRUST.dividedBy(2);
    /// The clock is looked at more often. If it shows an older commit, this process did not run meanwhile.
    private static final Duration PAUSED = Adoption.TRUST.plusMillis(500);
    private static final String TAKEN_OVER = "another server has taken over";
    private static final String RESTARTED = "the server has restarted";
    private static final String SUSPENDED = "the machine was suspended";
    private static final String RESTORED = "an older state of the database was restored";

    private Rules() {
    }

    static Transition next(State state, Observation observation) {
        if (state.phase() instanceof State.Closed
                || (observation instanceof Observation.OfTerm early && early.term() != state.term())) {
            return observation instanceof Observation.Opened(_, var late, _)
                    ? new Transition(state, new Close(late))
                    : stay(state);
        }
        return switch (observation) {
            case Observation.Seen(var host, var server) -> seen(state, host, server);
            case Observation.Failed failed -> failed(state, failed);
            case Observation.Proved proof ->
                seen(state, proof.host(), proof.server()).then(next -> proved(next, proof));
            case Observation.Pooled(_, var host, var reason) ->
                leaveIfUsed(host, reason, state.withReason(host, Optional.of(reason)));
            case Observation.Fell _ -> leave(state.restored(), RESTORED);
            case Observation.Suspended _ -> leave(state, SUSPENDED);
            case Observation.Silent(_, var age) when age.compareTo(Adoption.TRUST) < 0 -> stay(state);
            case Observation.Silent(_, var age) -> leave(state,
                    state.used().map(Adoption::host).map(state.reasons()::get).orElseGet(() -> silence(age)));
            case Observation.Opened(_, var connections, var age) when age.compareTo(Adoption.TRUST) < 0 ->
                opened(state, connections);
            case Observation.Opened(_, var connections, var age) ->
                new Transition(state, new Close(connections)).then(next -> leave(next, silence(age)));
            case Observation.OpeningFailed(_, var failed) -> failed(state.left(new State.None()), failed);
            case Observation.Ended _ -> endTerm(state, new State.Closed());
        };
    }

    private static Transition stay(State state) {
        return new Transition(state);
    }

    private static String silence(Duration age) {
        return age.compareTo(PAUSED) < 0
                ? "no commit has completed for " + seconds(Adoption.TRUST)
                        + "; the server or its synchronous standby does not respond"
                : "the service was paused; its last commit is " + seconds(age) + " old";
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f s", time.toMillis() / 1e3);
    }

    /// Leaves the server, if there is one. The reason is logged if requests have used it.
    private static Transition leave(State state, String reason) {
        return switch (state.phase()) {
            case State.Primary(var adoption, _) -> new Transition(
                    state.withReason(adoption.host(), Optional.of(reason)),
                    new Unusable(State.line(adoption.host(), reason))).then(used -> endTerm(used, new State.None()));
            case State.Opening(var adoption) ->
                endTerm(state.withReason(adoption.host(), Optional.of(reason)), new State.None());
            case State.None _,State.Closed _ -> stay(state);
        };
    }

    private static Transition leaveIfUsed(String host, String reason, State state) {
        return state.used().filter(used -> used.host().equals(host)).isPresent() ? leave(state, reason) : stay(state);
    }

    private static Transition endTerm(State state, State.Phase next) {
        State left = state.left(next);
        return state.phase() instanceof State.Primary(_, var connections)
                ? new Transition(left, new Close(connections), new AskAll())
                : new Transition(left, new AskAll());
    }

    /// A host's server may be one that must not be used. Or it shows that the server in use no longer is the primary.
    private static Transition seen(State before, String host, ServerState server) {
        State state = before.withShown(server.lineage());
        Optional<Refusal> refusal = Refusal.of(server, state.cluster(), true);
        return refusal.map(reason -> refuse(state, host, reason)).orElse(stay(state))
                .then(next -> next.used()
                        .flatMap(used -> Refusal.olderTimeline(used.server().lineage(), next.cluster()))
                        .map(_ -> leave(next, TAKEN_OVER)).orElse(stay(next)));
    }

    /// Logs that a server is refused although it runs, once for each reason.
    private static Transition refuse(State state, String host, Refusal refusal) {
        State refused = state.withReason(host, Optional.of(refusal.reason()));
        return new Transition(refused, refusal.advice().isEmpty() || refused.equals(state)
                ? List.of()
                : List.of(new Log(host + " is refused: " + refusal.reason() + refusal.advice())))
                .then(next -> leaveIfUsed(host, refusal.reason(), next));
    }

    private static Transition failed(State state, Observation.Failed failed) {
        String host = failed.host();
        return new Transition(state.withReason(host, Optional.of(failed.reason())),
                failed.defect().filter(_ -> !failed.reason().equals(state.reasons().get(host))).<Effect>map(
                        defect -> new Log("the watch of " + host + " failed and goes on: " + defect))
                        .stream().toList());
    }

    /// A server that can be used stays in use, even if another host has the same data.
    private static Transition proved(State state, Observation.Proved proof) {
        if (proof.term() != state.term() || Refusal.of(proof.server(), state.cluster(), true).isPresent()) {
            return stay(state);
        }
        // While the server is being opened, its reason stays: the opening may fail for it again.
        State usable = state.phase() instanceof State.Primary
                ? state.withReason(proof.host(), Optional.empty())
                : state;
        return usable.used().map(used -> {
            if (!used.host().equals(proof.host())) {
                return stay(usable);
            }
            if (!used.server().isSameRun(proof.server())) {
                return leave(usable, change(used.server(), proof.server()));
            }
            return used.versionOf(proof.read()).fellBelow(proof.known())
                    ? leave(usable.restored(), RESTORED)
                    : stay(usable);
        }).orElseGet(() -> proof.age().compareTo(SLOWEST) > 0
                ? stay(usable.withReason(proof.host(),
                        Optional.of("a commit took " + seconds(proof.age()) + ", more than " + seconds(SLOWEST))))
                : open(usable, proof));
    }

    private static String change(ServerState before, ServerState after) {
        if (before.lineage().equals(after.lineage())) {
            return RESTARTED;
        }
        return before.lineage().timeline() == after.lineage().timeline() ? RESTORED : TAKEN_OVER;
    }

    private static Transition open(State state, Observation.Proved proof) {
        long epochsBefore = state.last().map(Adoption::epochsBefore).orElse(0L);
        CatalogueVersion read = proof.read();
        boolean continues = state.continued().filter(proof.server()::isSameRun).isPresent()
                && !read.plusEpochs(epochsBefore).fellBelow(proof.known());
        Adoption adoption = new Adoption(proof,
                continues ? epochsBefore : proof.known().epoch() + 1 - read.epoch(), !continues);
        return new Transition(state.opening(adoption), new Effect.Open(adoption));
    }

    private static Transition opened(State state, State.Connections connections) {
        return new Transition(state.opened(connections), new Usable());
    }
}
