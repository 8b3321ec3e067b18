package petstore.http;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.Failure;
import petstore.KeyToken;
import petstore.Scope;
import petstore.TestClock;
import petstore.sql.DatabaseWait;
import petstore.sql.Migrate;
import petstore.sql.PostgresServer;
import petstore.sql.PostgresUri;
import petstore.sql.SqlStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// What the store is asked for keys, and told of them, when it takes its time or cannot be used.
class BearerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final String SOON = "2026-11-21T10:00:00.099Z";
    private static final String LATER = "2026-11-21T10:00:00.100Z";

    private final String url = PostgresServer.newDatabase();
    private final SqlStore store = SqlStore.servePostgres(PostgresUri.parse(url), Migrate.AUTO, 1,
            new DatabaseWait(DatabaseWait.LIMIT), new SimpleMeterRegistry());
    private final TestClock clock = new TestClock(NOW.toString());
    private final Bearer bearer = new Bearer(store.keys(), Optional.empty(), new SimpleMeterRegistry(),
            clock);

    @AfterEach
    void close() {
        store.close();
    }

    /// Whoever makes up keys must not take the store from those who have one.
    @Test
    void twoKeysAreLookedUpAtOnceAndOthersAreRefused() throws Exception {
        List<CompletableFuture<Bearer.Decided>> lookUps;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = PostgresServer.connect(url);
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE api_key");
            lookUps = List.of(lookUp(threads), lookUp(threads));
            await("two that wait for the store").atMost(PATIENCE)
                    .until(() -> PostgresServer.waitingForLocks(url).size() == 2);
            assertThat(lookUp(threads)).failsWithin(PATIENCE).withThrowableThat().havingCause()
                    .isInstanceOfSatisfying(Failure.class,
                            failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE))
                    .withMessageStartingWith("too many keys are being looked up");
            connection.rollback();
        }
        assertThat(lookUps).allSatisfy(
                lookUp -> assertThat(lookUp).succeedsWithin(PATIENCE).isInstanceOf(Bearer.Refused.class));
        assertThat(bearer.lookUp(token())).as("the next one").isInstanceOf(Bearer.Refused.class);
    }

    private CompletableFuture<Bearer.Decided> lookUp(ExecutorService threads) {
        return CompletableFuture.supplyAsync(() -> bearer.lookUp(token()), threads);
    }

    @Test
    void aKeyThatNobodyMadeIsLookedUpOnce() {
        KeyToken token = token();
        assertThat(judge(token)).isInstanceOf(Bearer.Undecided.class);
        assertThat(bearer.lookUp(token)).isInstanceOf(Bearer.Refused.class);
        assertThat(judge(token)).isInstanceOf(Bearer.Refused.class);
    }

    @Test
    void guessesOfASecretAreLookedUpNowAndThenOnly() {
        KeyToken token = issue();
        KeyToken guess = new KeyToken(token.id(), token().secret());
        assertThat(judge(guess)).isInstanceOf(Bearer.Undecided.class);
        clock.set(SOON);
        assertThat(judge(guess)).isInstanceOf(Bearer.Refused.class);
        assertThat(judge(token)).isInstanceOf(Bearer.Accepted.class);
        clock.set(LATER);
        assertThat(judge(guess)).isInstanceOf(Bearer.Undecided.class);
    }

    @Test
    void usesThatCouldNotBeSavedAreSavedLater() {
        KeyToken token = issue();
        assertThat(judge(token)).isInstanceOf(Bearer.Accepted.class);
        PostgresServer.query(url, "ALTER TABLE api_key RENAME TO elsewhere");
        assertThatThrownBy(bearer::saveUses).isInstanceOf(Failure.class);
        PostgresServer.query(url, "ALTER TABLE elsewhere RENAME TO api_key");
        bearer.saveUses();
        assertThat(store.keys().find(token.id())).flatMap(ApiKey::lastUsed).contains(NOW);
    }

    @Test
    void aUseWhileOthersAreBeingSavedIsSavedNext() throws Exception {
        KeyToken first = issue();
        KeyToken second = issue();
        assertThat(judge(first)).isInstanceOf(Bearer.Accepted.class);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = PostgresServer.connect(url);
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT id FROM api_key FOR UPDATE");
            CompletableFuture<Void> saving = CompletableFuture.runAsync(bearer::saveUses, threads);
            await("uses that are being saved").atMost(PATIENCE)
                    .until(() -> PostgresServer.waitingForLocks(url).size() == 1);
            assertThat(judge(second)).isInstanceOf(Bearer.Accepted.class);
            connection.rollback();
            assertThat(saving).succeedsWithin(PATIENCE);
        }
        bearer.saveUses();
        assertThat(store.keys().list()).hasSize(2).extracting(ApiKey::lastUsed).containsOnly(Optional.of(NOW));
    }

    /// A key that memory knows.
    private KeyToken issue() {
        KeyToken token = token();
        store.keys().add(ApiKey.issued(token, "test", EnumSet.allOf(Scope.class), NOW, Optional.empty(),
                Optional.empty()));
        bearer.refresh();
        return token;
    }

    private static KeyToken token() {
        return KeyToken.random(new SecureRandom());
    }

    private Bearer.Verdict judge(KeyToken token) {
        return bearer.judge(List.of("Bearer " + token.text()));
    }
}
