package petstore.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.ApiKey.SecretHash;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.Scope;
import petstore.store.SqlStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Tests of a [KeyRing]; each store has a subclass.
public abstract class AbstractKeyRingTest {

    private static final int CALLERS = 16;
    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07.089Z");

    /// Returns a key ring that is empty when a test begins.
    protected abstract KeyRing keys();

    /// Opens the store a second time, like another process. The caller closes it.
    protected abstract SqlStore openAnother();

    /// Runs a statement without the program, like an operator.
    protected abstract void execute(String sql);

    /// Closes the store and opens it again.
    protected abstract void reopen();

    @Test
    void returnsEveryFieldOfKey() {
        ApiKey permanent = key("checkout", NOW, EnumSet.allOf(Scope.class), Optional.empty());
        ApiKey expiring = key("Ünï ' \" ;", NOW.plusSeconds(1), Set.of(Scope.READ), Optional.of(NOW.plusSeconds(60)));
        ApiKey slow = ApiKey.issued(KeyToken.random(), "slow", Set.of(Scope.READ), NOW,
                Optional.empty(),
                RateLimit.find("999999999/365d"));
        keys().add(permanent);
        keys().add(expiring);
        keys().add(slow);
        reopen();
        assertThat(slow.rateLimit()).isPresent();
        assertSame(keys().find(slow.id()), slow);
        assertSame(keys().find(permanent.id()), permanent);
        assertSame(keys().find(expiring.id()), expiring);
    }

    /// Another version of the program may have written this limit. The other keys must stay valid.
    @Test
    void replacesUnreadableRateLimitWithStrictest() {
        ApiKey key = ApiKey.issued(KeyToken.random(), "slow", Set.of(Scope.READ), NOW,
                Optional.empty(), Optional.of(new RateLimit(600, Duration.ofDays(400))));
        keys().add(key);
        assertThat(keys().list()).singleElement().extracting(ApiKey::rateLimit)
                .isEqualTo(Optional.of(RateLimit.LEAST));
        assertThat(keys().revoke(key.id(), NOW)).isPresent();
    }

    @Test
    void listsOldestKeysFirst() {
        ApiKey second = key("second", NOW.plusSeconds(1), Set.of(Scope.WRITE), Optional.empty());
        ApiKey first = key("first", NOW, Set.of(Scope.WRITE), Optional.empty());
        keys().add(second);
        keys().add(first);
        assertThat(keys().list()).extracting(ApiKey::name).containsExactly("first", "second");
    }

    @Test
    void refusesDuplicateId() {
        KeyToken token = KeyToken.random();
        keys().add(ApiKey.issued(token, "one", Set.of(Scope.READ), NOW, Optional.empty(), Optional.empty()));
        assertThatThrownBy(() -> keys()
                .add(ApiKey.issued(token, "two", Set.of(Scope.READ), NOW, Optional.empty(), Optional.empty())))
                .isInstanceOf(Failure.class);
        assertThat(keys().list()).hasSize(1);
    }

    @Test
    void refusesNameOfValidKey() {
        Instant end = NOW.plusSeconds(60);
        ApiKey key = key("one", NOW, Set.of(Scope.READ), Optional.of(end));
        keys().add(key);
        keys().rotate(key.id(), SecretHash.of("second"), Optional.of(end));
        assertThatThrownBy(() -> keys().add(key("one", end.minusMillis(1), Set.of(Scope.READ), Optional.empty())))
                .isInstanceOf(CommandFailure.class).hasMessage("the key " + key.id()
                        + " has the name one; choose another with --name, or rotate or revoke that key");
        ApiKey second = key("one", end, Set.of(Scope.READ), Optional.empty());
        keys().add(second);
        assertThat(keys().rotate(second.id(), SecretHash.of("third"), Optional.empty())).isPresent();
        keys().revoke(second.id(), end);
        keys().add(key("one", end, Set.of(Scope.READ), Optional.empty()));
        keys().add(key("One", end, Set.of(Scope.READ), Optional.empty()));
        assertThat(keys().list()).hasSize(4);
    }

    @Test
    void refusesNameOfConfiguredKey() {
        ApiKey key = key("PETSTORE_API_KEY", NOW, Set.of(Scope.READ), Optional.empty());
        for (ThrowingCallable add : List.<ThrowingCallable>of(() -> keys().add(key), () -> keys().addFirst(key))) {
            assertThatThrownBy(add).isInstanceOf(CommandFailure.class)
                    .hasMessage("the key in the variable PETSTORE_API_KEY"
                            + " has the name PETSTORE_API_KEY; choose another with --name");
        }
        assertThat(keys().list()).isEmpty();
    }

    /// Revoked and expired keys count, too, because each process has all keys in memory.
    @Test
    void addsKeysUpToLimit() throws Exception {
        execute(rows(KeyRing.MOST_KEYS - 5));
        assertThat(addConcurrently((ring, i) -> {
            try {
                ring.add(key("new" + i, NOW, Set.of(Scope.READ), Optional.empty()));
                return true;
            } catch (CommandFailure e) {
                assertThat(e).hasMessage("the store has 10,000 API keys, and may have 10,000;"
                        + " 'petstore keys prune' removes revoked and expired keys");
                return false;
            }
        })).filteredOn(added -> added).hasSize(5);
        assertThat(keys().prune(NOW)).hasSize(KeyRing.MOST_KEYS - 5);
        keys().add(key("another", NOW, Set.of(Scope.READ), Optional.empty()));
    }

    /// Another version of the program, or SQL, may have added them.
    @Test
    void usesMoreKeysThanLimit() {
        execute(rows(KeyRing.MOST_KEYS + 1));
        reopen();
        assertThat(keys().addFirst(key("first", NOW, Set.of(Scope.READ), Optional.empty()))).isFalse();
        keys().refresh().join();
        assertThat(keys().addFirst(key("first", NOW, Set.of(Scope.READ), Optional.empty()))).isFalse();
        assertThat(keys().known().keys()).hasSize(KeyRing.MOST_KEYS + 1);
        assertThat(keys().rotate("old 1", SecretHash.of("x"), Optional.empty())).isPresent();
        assertThatThrownBy(() -> keys().add(key("another", NOW, Set.of(Scope.READ), Optional.empty())))
                .isInstanceOf(CommandFailure.class).hasMessageStartingWith("the store has 10,001 API keys");
    }

    /// Returns the SQL that adds revoked keys.
    private static String rows(int count) {
        return "INSERT INTO api_key (id, name, scopes, secret_sha256, created_ms, revoked_ms)"
                + " WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < " + count
                + ") SELECT 'old ' || i, 'old ' || i, 'pets:read', '" + "0".repeat(64) + "', i, i FROM number";
    }

    @Test
    void prunesKeysThatHadEnded() {
        ApiKey valid = key("valid", NOW, Set.of(Scope.READ), Optional.empty());
        ApiKey expired = key("expired", NOW, Set.of(Scope.READ), Optional.of(NOW.plusSeconds(1)));
        ApiKey later = key("later", NOW, Set.of(Scope.READ), Optional.of(NOW.plusSeconds(2)));
        ApiKey revoked = key("revoked", NOW, Set.of(Scope.READ), Optional.of(NOW.plusSeconds(9)));
        ApiKey revokedLater = key("revoked later", NOW, Set.of(Scope.READ), Optional.empty());
        for (ApiKey key : List.of(valid, expired, later, revoked, revokedLater)) {
            keys().add(key);
        }
        keys().revoke(revoked.id(), NOW.plusSeconds(1));
        keys().revoke(revokedLater.id(), NOW.plusSeconds(2));
        assertThat(keys().prune(NOW)).isEmpty();
        assertReload(() -> assertThat(keys().prune(NOW.plusSeconds(1))).extracting(ApiKey::name)
                .containsExactlyInAnyOrder("expired", "revoked"), true);
        assertThat(keys().list()).extracting(ApiKey::name).containsExactlyInAnyOrder("valid", "later",
                "revoked later");
    }

    @Test
    void addsOnlyOneOfConcurrentKeysWithSameName() throws Exception {
        assertThat(addConcurrently((ring, _) -> {
            try {
                ring.add(key("one", NOW, Set.of(Scope.READ), Optional.empty()));
                return true;
            } catch (CommandFailure e) {
                assertThat(e).hasMessageContaining(" has the name one; ");
                return false;
            }
        })).containsOnlyOnce(true);
        assertThat(keys().list()).hasSize(1);
    }

    @Test
    void addsOnlyOneFirstKeyFromConcurrentStores() throws Exception {
        assertThat(addConcurrently((ring, i) -> ring
                .addFirst(key("first" + i, NOW, Set.of(Scope.READ), Optional.empty())))).containsOnlyOnce(true);
        assertThat(keys().list()).hasSize(1);
    }

    /// Calls `add` at the same moment for several stores. Returns the results.
    private List<Boolean> addConcurrently(BiFunction<KeyRing, Integer, Boolean> add) throws Exception {
        List<KeyRing> rings = new ArrayList<>(List.of(keys()));
        try (SqlStore second = openAnother();
                SqlStore third = openAnother();
                SqlStore fourth = openAnother();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            rings.addAll(List.of(second.keys(), third.keys(), fourth.keys()));
            CyclicBarrier start = new CyclicBarrier(CALLERS);
            List<Callable<Boolean>> callers = IntStream.range(0, CALLERS).<Callable<Boolean>>mapToObj(i -> () -> {
                start.await();
                return add.apply(rings.get(i % rings.size()), i);
            }).toList();
            List<Boolean> added = new ArrayList<>();
            for (Future<Boolean> caller : threads.invokeAll(callers)) {
                added.add(caller.get());
            }
            return added;
        }
    }

    @Test
    void addsNoFirstKeyIfRevokedKeyExists() {
        ApiKey key = key("one", NOW, Set.of(Scope.READ), Optional.empty());
        assertThat(keys().addFirst(key)).isTrue();
        keys().revoke(key.id(), NOW);
        assertThat(keys().addFirst(key("two", NOW, Set.of(Scope.READ), Optional.empty()))).isFalse();
        assertThat(keys().list()).extracting(ApiKey::id).containsExactly(key.id());
    }

    @Test
    void keepsTimeOfFirstRevocation() {
        ApiKey key = key("one", NOW, Set.of(Scope.READ), Optional.empty());
        keys().add(key);
        assertThat(keys().revoke(key.id(), NOW.plusSeconds(5))).flatMap(ApiKey::revoked).contains(NOW.plusSeconds(5));
        assertThat(keys().revoke(key.id(), NOW.plusSeconds(9))).flatMap(ApiKey::revoked).contains(NOW.plusSeconds(5));
        reopen();
        assertThat(keys().find(key.id())).flatMap(ApiKey::revoked).contains(NOW.plusSeconds(5));
    }

    @Test
    void acceptsReplacedSecretUntilGracePeriodEnds() {
        KeyToken token = KeyToken.random();
        keys().add(ApiKey.issued(token, "one", Set.of(Scope.READ), NOW, Optional.empty(),
                Optional.empty()));
        String fresh = KeyToken.random().secret();
        Instant until = NOW.plusSeconds(60);
        assertThat(keys().rotate(token.id(), SecretHash.of(fresh), Optional.of(until))).isPresent();
        reopen();
        ApiKey key = keys().find(token.id()).orElseThrow();
        assertThat(key.hasSecret(fresh, NOW)).isTrue();
        assertThat(key.hasSecret(token.secret(), until.minusMillis(1))).isTrue();
        assertThat(key.hasSecret(token.secret(), until)).isFalse();
        assertThat(key.hasSecret(fresh, until)).isTrue();
    }

    /// No clock, however wrong, may make a replaced secret valid again.
    @Test
    void removesReplacedSecretIfRotatedWithoutGracePeriod() {
        KeyToken token = KeyToken.random();
        keys().add(ApiKey.issued(token, "one", Set.of(Scope.READ), NOW, Optional.empty(), Optional.empty()));
        keys().rotate(token.id(), SecretHash.of("second"), Optional.of(NOW.plusSeconds(60)));
        keys().rotate(token.id(), SecretHash.of("third"), Optional.empty());
        ApiKey key = keys().find(token.id()).orElseThrow();
        assertThat(key.retired()).isEmpty();
        assertThat(key.hasSecret("second", Instant.MIN)).isFalse();
        assertThat(key.hasSecret("third", NOW)).isTrue();
    }

    @Test
    void returnsCurrentTime() {
        Instant before = Instant.now();
        assertThat(keys().now()).isBetween(before.minusSeconds(1), before.plusSeconds(5));
    }

    /// Any change of a key counts, in any process, except the time of its last use.
    @Test
    void reloadsKeysOnlyAfterChange() {
        ApiKey key = key("one", NOW, Set.of(Scope.READ), Optional.empty());
        assertReload(() -> keys().add(key), true);
        assertReload(() -> {
        }, false);
        assertReload(() -> keys().recordUses(Map.of(key.id(), NOW.plusSeconds(60))), false);
        assertReload(() -> keys().rotate(key.id(), SecretHash.of("x"), Optional.empty()), true);
        assertReload(() -> keys().revoke(key.id(), NOW), true);
        assertReload(() -> {
            try (SqlStore other = openAnother()) {
                other.keys().addFirst(key("two", NOW, Set.of(Scope.READ), Optional.empty()));
                other.keys().add(key("three", NOW, Set.of(Scope.READ), Optional.empty()));
            }
        }, true);
        for (String change : List.of("UPDATE api_key SET name = 'another'", "UPDATE api_key SET scopes = 'pets:write'",
                "UPDATE api_key SET rate_limit = NULL", "UPDATE api_key SET expires_ms = 1",
                "UPDATE api_key SET last_used_ms = 1, revoked_ms = NULL",
                "DELETE FROM api_key WHERE name = 'another'")) {
            assertReload(() -> execute(change), true);
        }
        assertThat(keys().known().keys()).isEmpty();
    }

    private void assertReload(Runnable change, boolean expected) {
        Map<String, ApiKey> before = keys().known().keys();
        change.run();
        keys().refresh().join();
        if (expected) {
            assertThat(keys().known().keys()).isNotSameAs(before).containsOnlyKeys(ids());
        } else {
            assertThat(keys().known().keys()).isSameAs(before);
        }
    }

    private List<String> ids() {
        return keys().list().stream().map(ApiKey::id).toList();
    }

    @Test
    void recordsLatestUse() {
        ApiKey used = key("used", NOW, Set.of(Scope.READ), Optional.empty());
        ApiKey idle = key("idle", NOW, Set.of(Scope.READ), Optional.empty());
        keys().add(used);
        keys().add(idle);
        keys().recordUses(Map.of(used.id(), NOW.plusSeconds(60), "unknown", NOW));
        keys().recordUses(Map.of(used.id(), NOW.plusSeconds(30)));
        reopen();
        assertThat(keys().find(used.id())).flatMap(ApiKey::lastUsed).contains(NOW.plusSeconds(60));
        assertThat(keys().find(idle.id())).flatMap(ApiKey::lastUsed).isEmpty();
    }

    @Test
    void findsNoKeyForUnknownId() {
        assertThat(keys().find("0000000000")).isEmpty();
        assertThat(keys().revoke("0000000000", NOW)).isEmpty();
        assertThat(keys().rotate("0000000000", SecretHash.of("x"), Optional.of(NOW))).isEmpty();
        assertThat(keys().list()).isEmpty();
    }

    private static ApiKey key(String name, Instant created, Set<Scope> scopes, Optional<Instant> expires) {
        KeyToken token = KeyToken.random();
        return ApiKey.issued(token, name, scopes, created, expires,
                Optional.of(new RateLimit(10, Duration.ofMinutes(1))));
    }

    private static void assertSame(Optional<ApiKey> found, ApiKey expected) {
        assertThat(found).isPresent();
        assertThat(found.get()).usingRecursiveComparison().isEqualTo(expected);
    }
}
