package petstore.http.access;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.ApiKey.SecretHash;
import petstore.Failure;
import petstore.KeyToken;
import petstore.Scope;
import petstore.http.message.HeaderFields;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// Authentication while keys change, and while the store is slow or unavailable.
class BearerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final int GUESSES = 500;
    private static final int MOST_REFRESHES = 5;

    private final String url = PostgresServer.newDatabase();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    @AutoClose
    private final SqlStore store = new SqlStore(
            Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 1, Duration.ofMinutes(2),
                    new AtomicBoolean()),
            meters);
    private final Bearer bearer = new Bearer(store.keys(), Optional.empty(), new SimpleMeterRegistry());

    @Test
    void sharesRefreshAmongUnknownKeysWithoutDelayingOthers() throws Exception {
        KeyToken token = issue();
        List<CompletableFuture<Bearer.Authentication>> guesses = new ArrayList<>();
        try (Connection connection = PostgresServer.connect(url); Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE api_key");
            lock.execute("LOCK TABLE api_key_change");
            for (int i = 0; i < GUESSES; i++) {
                KeyToken guess = i % 2 == 0 ? KeyToken.random() : new KeyToken(token.id(), KeyToken.random().secret());
                guesses.add(((Bearer.Pending) authenticate(guess)).result());
            }
            await("a refresh that waits for the lock").atMost(PATIENCE)
                    .until(() -> PostgresServer.waitingForLocks(url).size() == 1);
            assertThat(authenticate(token)).as("a key in memory").isInstanceOf(Bearer.Accepted.class);
            connection.rollback();
        }
        assertThat(guesses).allSatisfy(
                guess -> assertThat(guess).succeedsWithin(PATIENCE).isInstanceOf(Bearer.Refused.class));
        assertThat(meters.get("petstore.store.batch.duration").tag("queue", "keys").timer().count())
                .as("refreshes").isLessThanOrEqualTo(MOST_REFRESHES);
    }

    /// Its owner may have been revoked meanwhile. The database is slow, or nobody reads the keys.
    @Test
    void looksUpKnownKeyThatWasReadTooLongAgo() {
        KeyToken token = issue();
        Duration promised = Duration.ofSeconds(2);
        await().atMost(PATIENCE).until(() -> store.keys().known().age().compareTo(promised) > 0);
        assertThat(authenticate(token)).isInstanceOf(Bearer.Pending.class);
    }

    /// A refresh that began before the change ends after the next refresh has begun.
    @Test
    void acceptsNewSecretAtOnceAndReplacedSecretNeverAgain() {
        KeyToken replaced = issue();
        KeyToken renewed = new KeyToken(replaced.id(), KeyToken.random().secret());
        Optional<Long> before = store.catalogue().findEpoch();
        PostgresServer.query(url, """
                CREATE TABLE pause AS SELECT 0::float8 AS seconds;
                ALTER TABLE api_key RENAME TO kept;
                CREATE VIEW api_key AS
                  SELECT kept.* FROM kept, (SELECT pg_sleep(seconds) FROM pause OFFSET 0) AS paused""");
        await("the watch has seen that the table was replaced").atMost(PATIENCE).ignoreExceptions()
                .until(() -> store.catalogue().findEpoch().filter(epoch -> epoch > before.orElseThrow()).isPresent());
        PostgresServer.query(url, "UPDATE pause SET seconds = 0.7");
        PostgresServer.query(url, "UPDATE api_key_change SET changes = changes + 1");
        CompletableFuture<?> slowRefresh = store.keys().refresh();
        await("a slow refresh").atMost(PATIENCE).until(() -> !PostgresServer.query(url,
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
                .isEmpty());
        PostgresServer.query(url, "UPDATE pause SET seconds = 0");
        PostgresServer.query(url, "UPDATE kept SET secret_sha256 = '" + SecretHash.of(renewed.secret()).hex() + "'");
        assertThat(result(renewed)).isInstanceOf(Bearer.Accepted.class);
        assertThat(result(replaced)).isInstanceOf(Bearer.Refused.class);
        assertThat(slowRefresh).succeedsWithin(PATIENCE);
        assertThat(result(replaced)).as("after the slow refresh").isInstanceOf(Bearer.Refused.class);
        assertThat(result(renewed)).isInstanceOf(Bearer.Accepted.class);
    }

    private Bearer.Authentication result(KeyToken token) {
        return authenticate(token) instanceof Bearer.Pending(var later) ? later.join() : authenticate(token);
    }

    @Test
    void savesUsesLaterIfSavingFails() {
        KeyToken token = issue();
        assertThat(authenticate(token)).isInstanceOf(Bearer.Accepted.class);
        PostgresServer.query(url, "ALTER TABLE api_key ADD CONSTRAINT unused CHECK (last_used_ms IS NULL)");
        assertThatThrownBy(bearer::saveUses).isInstanceOf(Failure.class);
        PostgresServer.query(url, "ALTER TABLE api_key DROP CONSTRAINT unused");
        bearer.saveUses();
        assertThat(store.keys().find(token.id())).flatMap(ApiKey::lastUsed).isPresent();
    }

    @Test
    void savesUseThatHappensDuringSave() throws Exception {
        KeyToken first = issue();
        KeyToken second = issue();
        assertThat(authenticate(first)).isInstanceOf(Bearer.Accepted.class);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = PostgresServer.connect(url);
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT id FROM api_key FOR UPDATE");
            CompletableFuture<Void> saving = CompletableFuture.runAsync(bearer::saveUses, threads);
            await("a save that waits for the lock").atMost(PATIENCE)
                    .until(() -> PostgresServer.waitingForLocks(url).size() == 1);
            assertThat(authenticate(second)).isInstanceOf(Bearer.Accepted.class);
            connection.rollback();
            assertThat(saving).succeedsWithin(PATIENCE);
        }
        bearer.saveUses();
        assertThat(store.keys().list()).hasSize(2).allMatch(key -> key.lastUsed().isPresent());
    }

    @Test
    void acceptsOnlyExactConfiguredKey() {
        String key = "a key öf many characters";
        Bearer withKey = new Bearer(store.keys(), Optional.of(key), new SimpleMeterRegistry());
        assertThat(withKey.authenticate(field("Bearer " + key))).isInstanceOf(Bearer.Accepted.class);
        List<String> others = new ArrayList<>(List.of("", key + "s", key.substring(1)));
        for (int i = 0; i < key.length(); i++) {
            char other = key.charAt(i) == 'x' ? 'y' : 'x';
            others.add(key.substring(0, i) + other + key.substring(i + 1));
        }
        assertThat(others).allSatisfy(other -> assertThat(withKey.authenticate(field("Bearer " + other)))
                .isInstanceOf(Bearer.Refused.class));
        assertThat(bearer.authenticate(field("Bearer " + key))).isInstanceOf(Bearer.Refused.class);
    }

    /// Adds a key to the store, and reads it into memory. Returns its token.
    private KeyToken issue() {
        KeyToken token = KeyToken.random();
        store.keys().add(ApiKey.issued(token, token.id(), EnumSet.allOf(Scope.class), NOW, Optional.empty(),
                Optional.empty()));
        bearer.refresh();
        return token;
    }

    private static HeaderFields field(String value) {
        return new HeaderFields(_ -> true).add("Authorization", value);
    }

    private Bearer.Authentication authenticate(KeyToken token) {
        return bearer.authenticate(field("Bearer " + token.text()));
    }
}
