package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import petstore.NewPet;
import petstore.store.SqlStore;
import petstore.store.postgres.watch.Cluster;
import petstore.testkit.PlainPostgres;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Commits that take nearly as long as they may. Alone, because other tests would make them slower.
@Timeout(120)
@Isolated
class SlowCommitsTest {

    private static final Duration CREATE_INTERVAL = Duration.ofSeconds(3);
    private static final int CREATES = Integer.getInteger("petstore.creates", 2);

    @TempDir
    private Path folder;

    /// A commit may take nearly as long as half of the trust in it, also if creates are rare.
    @Test
    void slowCommitsMakeNoRequestFail() throws IOException {
        PlainPostgres primary = new PlainPostgres(folder.resolve("primary"));
        TestStore.serve(primary.url()).close();
        try (primary; PlainPostgres standby = primary.standby(folder.resolve("standby"))) {
            standby.alterSystem("SET recovery_min_apply_delay = '800ms'");
            standby.alterSystem("SET primary_conninfo = 'host=127.0.0.1 port=" + primary.port()
                    + " user=postgres application_name=slow'");
            primary.alterSystem("SET synchronous_commit = remote_apply");
            primary.alterSystem("SET synchronous_standby_names = slow");
            await().atMost(Duration.ofSeconds(30)).until(() -> primary
                    .query("SELECT sync_state FROM pg_stat_replication").equals(List.of("sync")));
            try (SqlStore store = TestStore.serve(primary.url())) {
                for (int i = 0; i < CREATES; i++) {
                    long beganNs = System.nanoTime();
                    PostgresFailoverTest.add(store, "Rex");
                    assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isGreaterThan(Duration.ofMillis(750));
                    do {
                        store.check();
                        assertThat(PostgresFailoverTest.list(store)).hasSize(i + 1);
                    } while (System.nanoTime() - beganNs < CREATE_INTERVAL.toNanos());
                }
            }
            assertTrustCountsFromBeginOfCommit(primary);
        }
    }

    /// The response to a COMMIT may come late, when another server is the primary already.
    private static void assertTrustCountsFromBeginOfCommit(PlainPostgres server) {
        PostgresUri address = PostgresUri.parse(server.url());
        try (PostgresHost host = PostgresSearch.hosts(address).getFirst();
                CurrentPrimary primary = PostgresWatch.start(List.of(host), Cluster.UNKNOWN, 1,
                        Duration.ofMinutes(1))) {
            for (int i = 0; i < CREATES; i++) {
                var _ = primary.<Object>use(session -> PostgresPets.add(
                        List.of(new NewPet("Rex", 1, Optional.empty())), session));
                long committedNs = primary.state().used().orElseThrow().committed().get();
                assertThat(Duration.ofNanos(System.nanoTime() - committedNs)).isGreaterThan(Duration.ofMillis(700));
            }
        }
    }
}
