package petstore;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The API keys of the store.
///
/// Every method blocks and may be called from any thread. Errors: as for [Catalogue].
public interface KeyRing {

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

    /// Gives the key with this id a new secret, and keeps the present one good until `retiredUntil`. Gives the key back; absent
    /// when there is no such key.
    Optional<ApiKey> rotate(String id, SecretHash secret, Instant retiredUntil);

    /// Has `listener` called when the keys are others than they were, e.g. after a failover that lost some. Requests are refused until
    /// it returns.
    void onNewEpoch(Runnable listener);

    /// Records when keys were last used, by their ids; an earlier moment than is known changes nothing.
    void recordUses(Map<String, Instant> lastUses);
}
