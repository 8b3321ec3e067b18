package petstore;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The API keys of the store.
///
/// For any number of threads. All methods except [#known] and [#refresh] block. Errors: as for [Catalogue].
public interface KeyRing {

    /// The most keys for which [#add] adds another, revoked and expired ones too. Each process reads all keys after a change of one.
    int MOST_KEYS = 10_000;

    /// Returns the keys in memory, as of the last completed [#refresh].
    Known known();

    /// The keys of one reading.
    ///
    /// @param keys all keys by id, revoked and expired ones too
    /// @param read the time by the clock of the database when they were read, roughly
    /// @param readNs the time when their reading began, by [System#nanoTime]
    record Known(Map<String, ApiKey> keys, Instant read, long readNs) {

        private static final Duration LONG_AGO = Duration.ofDays(1);

        public Duration age() {
            return Duration.ofNanos(System.nanoTime() - readNs);
        }

        /// Returns the time by the clock of the database, estimated.
        public Instant now() {
            return read.plus(age());
        }

        /// Returns the same keys, as if they were read too long ago for any use.
        public Known outdated() {
            return new Known(keys, read.minus(LONG_AGO), readNs - LONG_AGO.toNanos());
        }
    }

    /// Makes [#known] include every change that was committed before this call. The future fails with a [Failure].
    CompletableFuture<?> refresh();

    /// Reads the keys for the first time, at a start. Waits for the database as the rest of the start.
    void load();

    /// Returns the time by the clock of the database.
    Instant now();

    /// Adds a key. It is durable when this returns.
    ///
    /// Errors: [CommandFailure] if there are [#MOST_KEYS] or more, if its name is [ApiKey#CONFIGURED_NAME], or that of a
    /// key that is valid when this one is created. Keys of one name share the results of `Idempotency-Key`s.
    void add(ApiKey key);

    /// Adds a key at a start if the store has no key, not even a revoked or expired one. If several processes call this at once, only
    /// one succeeds. Waits as [#load]. Returns true if the key was added.
    boolean addFirst(ApiKey key);

    /// Returns the key with this id, also if it is revoked or expired; absent if it does not exist.
    Optional<ApiKey> find(String id);

    /// Returns all keys, revoked and expired ones too, the oldest first.
    List<ApiKey> list();

    /// Revokes a key as of `now`, unless it is revoked already. Returns the key; absent if it does not exist.
    Optional<ApiKey> revoke(String id, Instant now);

    /// Replaces the secret of a key. Returns the key; absent if it does not exist.
    ///
    /// @param retiredUntil the end of the replaced secret; absent if it ends at once
    Optional<ApiKey> rotate(String id, ApiKey.SecretHash secret, Optional<Instant> retiredUntil);

    /// Removes the keys that were revoked or had expired by `end`, and returns them. The results of their owners' `Idempotency-Key`s stay.
    List<ApiKey> prune(Instant end);

    /// Records the times of the last uses of keys, by id. A time before the recorded time changes nothing.
    void recordUses(Map<String, Instant> lastUses);
}
