package petstore;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The API keys of the store.
///
/// Every method but [#known] and [#refresh] blocks, and all may be called from any thread. Errors: as for [Catalogue].
public interface KeyRing {

    /// Returns the keys in memory by id, revoked and expired ones too: those of the last [#refresh] that has completed.
    Map<String, ApiKey> known();

    /// Makes [#known] include every change that was committed before this call. The future fails with the errors.
    CompletableFuture<?> refresh();

    /// Returns the time by the clock of the database.
    Instant now();

    /// Adds a key. It is durable, and known to every process that asks the store, from then on.
    void add(ApiKey key);

    /// Adds a key if the store has none, revoked and expired ones included. Of several processes that call this at once, one adds
    /// its key. Returns true if the key was added.
    boolean addFirst(ApiKey key);

    /// The key with this id, revoked or expired ones too; absent when there is none.
    Optional<ApiKey> find(String id);

    /// All keys, revoked and expired ones too, the oldest first.
    List<ApiKey> list();

    /// Withdraws the key with this id as of `now` and gives it back. One that was withdrawn before stays as it was.
    /// Absent when there is no such key.
    Optional<ApiKey> revoke(String id, Instant now);

    /// Replaces the secret of the key with this id. Returns the key, or empty if the id is unknown.
    ///
    /// @param retiredUntil when the replaced secret ends; empty for at once
    Optional<ApiKey> rotate(String id, SecretHash secret, Optional<Instant> retiredUntil);

    /// Records when keys were last used, by their ids; an earlier moment than is known changes nothing.
    void recordUses(Map<String, Instant> lastUses);
}
