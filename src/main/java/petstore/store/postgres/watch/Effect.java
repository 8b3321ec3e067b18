package petstore.store.postgres.watch;

/// An action that follows from an observation. Each is carried out once, in the order of the observations.
public sealed interface Effect {

    /// Opens connections to a server. Its result is [Observation.Opened] or [Observation.OpeningFailed].
    record Open(Adoption adoption) implements Effect {
    }

    /// Closes connections, also those in use.
    record Close(State.Connections connections) implements Effect {
    }

    /// Wakes all threads, so that every host is asked at once.
    record AskAll() implements Effect {
    }

    /// Logs that an outage begins, for a reason with its host.
    record Unusable(String reason) implements Effect {
    }

    /// Logs that the outage ends, if there is one.
    record Usable() implements Effect {
    }

    /// Logs an error.
    record Log(String line) implements Effect {
    }
}
