package petstore;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// What every store of a [KeyRing] promises; each store has a subclass.
public abstract class KeyRingKit {

    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07.089Z");

    /// A key ring that is empty at the beginning of each test.
    protected abstract KeyRing keys();

    /// Closes the store and opens it again.
    protected abstract void reopen();

    @Test
    void givesBackEveryFieldOfAKey() {
        ApiKey lasting = key("checkout", NOW, EnumSet.allOf(Scope.class), Optional.empty());
        ApiKey passing = key("Ünï ' \" ;", NOW.plusSeconds(1), Set.of(Scope.READ), Optional.of(NOW.plusSeconds(60)));
        keys().add(lasting);
        keys().add(passing);
        reopen();
        assertSame(keys().find(lasting.id()), lasting);
        assertSame(keys().find(passing.id()), passing);
    }

    @Test
    void listsTheOldestFirst() {
        ApiKey second = key("second", NOW.plusSeconds(1), Set.of(Scope.WRITE), Optional.empty());
        ApiKey first = key("first", NOW, Set.of(Scope.WRITE), Optional.empty());
        keys().add(second);
        keys().add(first);
        assertThat(keys().list()).extracting(ApiKey::name).containsExactly("first", "second");
    }

    @Test
    void refusesASecondKeyWithTheSameId() {
        ApiKey key = key("one", NOW, Set.of(Scope.READ), Optional.empty());
        keys().add(key);
        assertThatThrownBy(() -> keys().add(key)).isInstanceOf(Failure.class);
        assertThat(keys().list()).hasSize(1);
    }

    @Test
    void revokesOnce() {
        ApiKey key = key("one", NOW, Set.of(Scope.READ), Optional.empty());
        keys().add(key);
        assertThat(keys().revoke(key.id(), NOW.plusSeconds(5))).flatMap(ApiKey::revoked).contains(NOW.plusSeconds(5));
        assertThat(keys().revoke(key.id(), NOW.plusSeconds(9))).flatMap(ApiKey::revoked).contains(NOW.plusSeconds(5));
        reopen();
        assertThat(keys().find(key.id())).flatMap(ApiKey::revoked).contains(NOW.plusSeconds(5));
    }

    @Test
    void knowsNothingOfOtherIds() {
        assertThat(keys().find("0000000000")).isEmpty();
        assertThat(keys().revoke("0000000000", NOW)).isEmpty();
        assertThat(keys().list()).isEmpty();
    }

    private static ApiKey key(String name, Instant created, Set<Scope> scopes, Optional<Instant> expires) {
        KeyToken token = KeyToken.random(new SecureRandom());
        return new ApiKey(token.id(), name, scopes, SecretHash.of(token.secret()), created, expires, Optional.empty());
    }

    private static void assertSame(Optional<ApiKey> found, ApiKey expected) {
        assertThat(found).isPresent();
        assertThat(found.get()).usingRecursiveComparison().isEqualTo(expected);
    }
}
