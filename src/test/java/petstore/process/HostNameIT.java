package petstore.process;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PostgresServer;
import petstore.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A database whose host name gets another address, as after a failover by DNS.
class HostNameIT {

    private static final String KEY = "a-key-for-the-test-of-host-names";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    /// The service follows within three seconds; three more are slack for a busy machine. Java keeps an address for 30.
    private static final Duration TIME_LIMIT = Duration.ofSeconds(3 + 3);

    @TempDir
    private Path folder;

    @Test
    void followsNameToAnotherAddress() throws IOException {
        String database = PostgresServer.newDatabase();
        int server = Integer.parseInt(database.replaceAll(".*:|/.*", ""));
        Path hosts = folder.resolve("hosts");
        Files.writeString(hosts, "127.0.0.1 db.example\n");
        try (TcpProxy before = new TcpProxy(server, Duration.ZERO);
                TcpProxy _ = new TcpProxy(InetAddress.ofLiteral("127.0.0.2"), before.port(), server, Duration.ZERO);
                PetstoreProcess service = PetstoreProcess.serveDatabase(
                        Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_JAVA_OPTIONS",
                                "-XX:TieredStopAtLevel=1 -Djdk.net.hosts.file=" + hosts),
                        database.replace("localhost:" + server, "db.example:" + before.port())).awaitReady()) {
            ApiClient client = service.client(KEY);
            assertThat(client.post(PET).statusCode()).isEqualTo(201);
            // For a moment there is no address at all: a failure must not be kept, either.
            Files.writeString(hosts, "");
            before.moveTo(0);
            ApiClient operator = new ApiClient(service.adminPort(), "");
            await("the name is unknown").atMost(TIME_LIMIT).until(() -> operator.get("/readyz").body(),
                    body -> body.contains("the host cannot be resolved: ") && !body.contains("is unknown"));
            Files.writeString(hosts, "127.0.0.2 db.example\n");
            await("the new address").atMost(TIME_LIMIT).until(() -> client.post(PET).statusCode() == 201);
        }
    }
}
