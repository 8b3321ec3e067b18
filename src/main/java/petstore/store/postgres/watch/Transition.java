package petstore.store.postgres.watch;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/// A state, and the effects that have not begun.
public record Transition(State state, List<Effect> effects) {

    public Transition(State state, Effect... effects) {
        this(state, List.of(effects));
    }

    public Transition next(Observation observation) {
        return then(before -> Rules.next(before, observation));
    }

    /// Returns the transition after a rule, with the effects of both.
    Transition then(Function<State, Transition> rule) {
        Transition later = rule.apply(state);
        return new Transition(later.state, Stream.concat(effects.stream(), later.effects.stream()).toList());
    }

    public Transition withoutFirst() {
        return new Transition(state, effects.stream().skip(1).toList());
    }
}
