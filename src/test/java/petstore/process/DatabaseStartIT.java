package petstore.process;

import java.io.IOException;
import java.net.URI;
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
import petstore.testkit.PostgresServer;
import petstore.testkit.SocketFault;
import petstore.testkit.TcpProxy;

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

    /// The COMMIT of the first key succeeds, but its response is lost.
    @Test
    void showsFirstKeyAlsoAfterUnknownOutcome() throws IOException {
        String working = PostgresServer.newDatabase();
        int port = URI.create(working).getPort();
        try (TcpProxy proxy = new TcpProxy(port, Duration.ZERO)) {
            proxy.failAfter(new SocketFault("close"), true, "INSERT INTO api_key (", "COMMIT");
            try (PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of(),
                    working.replace("localhost:" + port, "127.0.0.1:" + proxy.port()))) {
                await("log line").atMost(PATIENCE).until(() -> server.err().stream()
                        .anyMatch(line -> line.contains("waiting for the database: ") && line.contains("unknown")));
                proxy.moveTo(port);
                String key = server.awaitReady().firstKey().orElseThrow();
                await("the API").atMost(PATIENCE)
                        .until(() -> server.client(key).get("/v1/pets").statusCode() == 200);
            }
        }
    }

    /// As HAProxy during a failover: it closes each connection.
    @Test
    void waitsForServerBehindProxy() throws IOException {
        try (TcpProxy proxy = new TcpProxy(database.port(), Duration.ZERO)) {
            proxy.fail(new SocketFault("close"), 0);
            String url = database.url().replace(":" + database.port(), ":" + proxy.port());
            try (PetstoreProcess command = PetstoreProcess.start(Map.of(), "keys", "list", "--database", url);
                    PetstoreProcess server = PetstoreProcess.serveDatabase(Map.of("PETSTORE_DATABASE_WAIT", "1s"),
                            url)) {
                assertThat(server.ending().err()).last().asString().contains("--database-wait is over", "closes");
                await("log line of the command").atMost(PATIENCE)
                        .until(() -> command.err().stream()
                                .anyMatch(line -> line.contains("waiting for the database: ")));
                proxy.moveTo(database.port());
                assertThat(command.ending().err()).last().asString().contains("there is no store");
                assertThat(command.err()).noneMatch(line -> line.contains("--database-wait"));
            }
        }
    }
}
