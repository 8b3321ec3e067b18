package petstore.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PlainPostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A start with a database that cannot commit, because its synchronous standby is missing, or behind a proxy without a server.
class DatabaseStartIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration AT_ONCE = Duration.ofSeconds(3);

    @TempDir
    private static Path folder;
    @AutoClose
    private static PlainPostgres database;

    @BeforeAll
    static void startDatabase() throws IOException {
        database = new PlainPostgres(folder.resolve("postgresql"));
        database.alterSystem("SET synchronous_standby_names = 'nobody'");
    }

    @Test
    void signalEndsWaitForDatabaseAtOnce() {
        try (PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of(), database.url())) {
            await("log line about the wait for the database").atMost(PATIENCE)
                    .until(() -> server.err().stream().anyMatch(line -> line.contains("waiting for the database: ")));
            Instant signalSent = Instant.now();
            server.terminate();
            assertThat(server.ending().code()).isEqualTo(143);
            assertThat(Duration.between(signalSent, Instant.now())).isLessThan(AT_ONCE);
        }
    }

    @Test
    void failsWithOneReasonAfterDatabaseWait() {
        try (PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of("PETSTORE_DATABASE_WAIT", "2s"),
                database.url())) {
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.code()).isEqualTo(1);
            List<String> reasons = ending.err().stream().filter(line -> line.startsWith("petstore: ")).toList();
            assertThat(reasons).hasSize(1).first().asString().contains("--database-wait", "synchronous");
        }
    }
}
