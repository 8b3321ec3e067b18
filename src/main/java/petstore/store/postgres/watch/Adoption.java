package petstore.store.postgres.watch;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import petstore.CatalogueVersion;

/// The server of a term, and the latest facts that requests and proofs have recorded: the version, the time when it was read, and the time
/// of the last commit. All only rise. For any thread. Times are by [System#nanoTime].
///
/// @param host the host that leads to it, e.g. `db.example:5432`
/// @param epochsBefore the epoch, less the store's number of changes by SQL
/// @param beginsEpoch true if its data do not continue those that were used before
public record Adoption(long term, String host, ServerState server, long epochsBefore, boolean beginsEpoch,
        AtomicReference<Reading> latest, AtomicLong committed) {

    /// The time for which a commit proves that the server is the primary, and for which a version that was read counts. Both are
    /// repeated every half second.
    ///
    /// If a server is replaced unnoticed, its last response comes within this time. So after two seconds no revoked key is accepted, and no
    /// animal is missing. A commit and the next one must complete within this time.
    public static final Duration TRUST = Duration.ofMillis(1_900);

    public record Reading(CatalogueVersion version, long readNs) {
    }

    Adoption(Observation.Proved proof, long epochsBefore, boolean beginsEpoch) {
        this(proof.term(), proof.host(), proof.server(), epochsBefore, beginsEpoch,
                new AtomicReference<>(new Reading(proof.read().plusEpochs(epochsBefore), proof.beganNs())),
                new AtomicLong(proof.beganNs()));
    }

    /// Returns the version of this process for one that was read here, whose epoch is the store's number of changes by SQL.
    public CatalogueVersion versionOf(CatalogueVersion read) {
        return read.plusEpochs(epochsBefore);
    }

    /// Returns the latest version that was read here.
    public CatalogueVersion version() {
        return latest.get().version();
    }

    /// Returns the epoch; absent if the last version was read too long ago.
    public Optional<Long> findEpoch(long nowNs) {
        Reading last = latest.get();
        return isRecent(last.readNs(), nowNs) ? Optional.of(last.version().epoch()) : Optional.empty();
    }

    /// Records a version whose reading began at `readNs`.
    public void reached(CatalogueVersion version, long readNs) {
        latest.updateAndGet(before -> new Reading(before.version().max(version), later(before.readNs(), readNs)));
    }

    /// Records an id that an animal has got here.
    public void used(long id) {
        reached(new CatalogueVersion(0, id), latest.get().readNs());
    }

    /// Records a commit that began at `beganNs` and succeeded.
    public void committed(long beganNs) {
        committed.accumulateAndGet(beganNs, Adoption::later);
    }

    /// Returns true if the last commit is so recent that the server still is the primary.
    public boolean isTrusted(long nowNs) {
        return isRecent(committed.get(), nowNs);
    }

    private static boolean isRecent(long ns, long nowNs) {
        return nowNs - ns < TRUST.toNanos();
    }

    private static long later(long oneNs, long otherNs) {
        return oneNs - otherNs > 0 ? oneNs : otherNs;
    }
}
