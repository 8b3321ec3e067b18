package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import petstore.Failure;
import petstore.store.SqlStore;
import petstore.testkit.PlainPostgres;
import petstore.testkit.TcpProxy;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The disk of the database hangs, so that neither a cancel nor a closed connection ends a server process that commits.
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class StalledDiskTest {

    private static final Duration STALL = Duration.ofSeconds(Integer.getInteger("petstore.stall", 20));
    /// The service is back within three seconds; a busy machine may need two more.
    private static final Duration LIMIT = Duration.ofSeconds(3 + 2);
    private static final String SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore'";
    private static final String PROOFS = SESSIONS + " AND state = 'active' AND query LIKE '%pg_logical_emit_message(%'";
    /// Those of the watch, and of creates that had begun.
    private static final int SESSIONS_IN_STALL = 2 + 2;

    @TempDir
    private Path folder;

    @Test
    void hasOneUnfinishedCommitAndIsBackSoon() throws IOException {
        Path stall = folder.resolve("stall");
        Optional<PlainPostgres> started = PlainPostgres.onDiskThatHangs(folder.resolve("data"), stall);
        assumeThat(started).as("a C compiler").isPresent();
        try (PlainPostgres server = started.get(); SqlStore store = TestStore.serve(server.url())) {
            PostgresFailoverTest.add(store, "Rex");
            Files.createFile(stall);
            await("no request is answered").atMost(LIMIT).untilAsserted(
                    () -> assertThatThrownBy(store::check).isInstanceOf(Failure.class));
            await("one unfinished proof").pollInterval(Duration.ofMillis(200)).during(STALL).atMost(STALL.plus(LIMIT))
                    .untilAsserted(() -> {
                        assertThat(server.query(PROOFS)).containsExactly("1");
                        assertThat(Integer.parseInt(server.query(SESSIONS).getFirst()))
                                .isLessThanOrEqualTo(SESSIONS_IN_STALL);
                        assertThatThrownBy(() -> PostgresFailoverTest.add(store, "gone"))
                                .isInstanceOf(Failure.class);
                    });
            assertThatThrownBy(store::check).isInstanceOfSatisfying(Failure.class,
                    failure -> assertThat(failure.explanation())
                            .containsIgnoringCase("a commit waits for the server (WALSync)"));
            Files.delete(stall);
            await("the service is back").atMost(LIMIT).ignoreException(Failure.class)
                    .until(() -> PostgresFailoverTest.add(store, "Tom") > 1);
        }
    }

    /// The connection of an unfinished commit is dead, e.g. because a firewall has forgotten it. The view of sessions may be hidden.
    @Test
    void endsCommitThatServerDoesNotRun() throws IOException {
        try (PlainPostgres server = new PlainPostgres(folder.resolve("data"));
                TcpProxy proxy = new TcpProxy(server.port(), Duration.ZERO)) {
            server.query("CREATE ROLE clerk LOGIN");
            server.query("GRANT ALL ON SCHEMA public TO clerk");
            server.query("REVOKE SELECT ON pg_stat_activity FROM PUBLIC");
            try (SqlStore store = TestStore.serve("postgresql://clerk@127.0.0.1:" + proxy.port() + "/postgres")) {
                PostgresFailoverTest.add(store, "Rex");
                proxy.silenceAfter("pg_logical_emit_message");
                await("no commit before is trusted any more").pollDelay(LIMIT).atMost(LIMIT.multipliedBy(2))
                        .untilAsserted(() -> assertThat(PostgresFailoverTest.list(store)).hasSize(1));
                assertThat(proxy.silenced()).isEqualTo(1);
            }
        }
    }
}
