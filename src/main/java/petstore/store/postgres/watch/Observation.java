package petstore.store.postgres.watch;

import java.time.Duration;
import java.util.Optional;

import petstore.CatalogueVersion;

/// An event that may change the server in use.
public sealed interface Observation {

    /// An observation of the term in which it began.
    sealed interface OfTerm extends Observation {
        long term();
    }

    /// A host has shown its server, which may be one that must not be used.
    record Seen(String host, ServerState server) implements Observation {
    }

    /// A host could not be asked, or has not proved that it commits. That proves nothing about the server in use, whose last commit
    /// grows older.
    ///
    /// @param defect an unexpected error, with its class; absent for errors of the database
    record Failed(String host, String reason, Optional<String> defect) implements Observation {
    }

    /// A host has proved that its server commits durably.
    ///
    /// @param term the term when it was asked
    /// @param known the latest version that was known before the host was asked
    /// @param read its version; the epoch is the store's number of changes
    /// @param beganNs the time before its commit, by [System#nanoTime]
    /// @param age the time since then
    record Proved(long term, String host, ServerState server, CatalogueVersion known, CatalogueVersion read,
            long beganNs, Duration age) implements OfTerm {
    }

    /// A pooler in front of a host assigns no separate server connection to each session.
    record Pooled(long term, String host, String reason) implements OfTerm {
    }

    /// A version was read that is below one that was known.
    record Fell(long term) implements OfTerm {
    }

    /// The machine was suspended, so the last commit is older than it seems.
    record Suspended(long term) implements OfTerm {
    }

    /// Time has passed since the last commit: the server was silent, or this process paused.
    record Silent(long term, Duration age) implements OfTerm {
    }

    /// Connections to the server of the term were opened.
    ///
    /// @param age the time since the last commit
    record Opened(long term, State.Connections connections, Duration age) implements OfTerm {
    }

    record OpeningFailed(long term, Failed failed) implements OfTerm {
    }

    record Ended() implements Observation {
    }
}
