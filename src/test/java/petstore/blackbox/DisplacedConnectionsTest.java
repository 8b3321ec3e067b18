package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// New connections at the limit of open connections.
class DisplacedConnectionsTest {

    /// Long enough that no connection of these tests reaches a deadline.
    private static final Duration LONG = Duration.ofSeconds(60);
    /// Odd: with two event loops, the oldest connection and the new one belong to different event loops.
    private static final int LIMIT = 3;
    /// Longer than a connection without a whole head is spared.
    private static final Duration HEADLESS = Duration.ofMillis(1_100);
    private static final String LIVEZ = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " + PET.length()
            + "\r\n\r\n";

    @TempDir
    private Path folder;
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void displacesLongestIdle(boolean admin) throws IOException {
        try (TestService service = start()) {
            int port = admin ? service.adminPort() : service.port();
            for (int i = 0; i < 10 * LIMIT; i++) {
                assertThat(status(connect(port), LIVEZ)).isEqualTo(200);
                if (i >= LIMIT) {
                    // End of stream, not a reset.
                    assertThat(clients.get(i - LIMIT).socket().getInputStream().read()).isEqualTo(-1);
                }
            }
            for (RawClient newest : clients.subList(clients.size() - LIMIT, clients.size())) {
                assertThat(status(newest, LIVEZ)).isEqualTo(200);
            }
            assertThat(displaced(service, admin ? "admin" : "api")).isEqualTo(9 * LIMIT + (admin ? 1 : 0));
        }
    }

    @Test
    void displacesIdleThenHeadlessAndNoneWithRequestInFlight() throws IOException {
        try (TestService service = start()) {
            RawClient silent = connect(service.port());
            RawClient partial = connect(service.port());
            assertThat(status(partial, LIVEZ)).isEqualTo(200);
            partial.send("GET /live");
            assertThat(partial.isSilentFor(HEADLESS)).isTrue();
            RawClient idle = connect(service.port());
            assertThat(status(idle, LIVEZ)).isEqualTo(200);
            List<RawClient> busy = new ArrayList<>();
            for (RawClient displaced : List.of(idle, silent, partial)) {
                busy.add(connect(service.port()));
                assertThat(status(busy.getLast(), POST)).isEqualTo(100);
                assertThat(displaced.socket().getInputStream().read()).isEqualTo(-1);
            }
            assertThat(connect(service.port()).isClosedByServer()).isTrue();
            for (RawClient client : busy) {
                assertThat(status(client, PET)).isEqualTo(201);
            }
            assertThat(displaced(service, "api")).isEqualTo(LIMIT);
            assertThat(refused(service)).isEqualTo(1);
        }
    }

    private TestService start() {
        return TestService.start(folder, new Deadlines(LONG, LONG, LONG), LIMIT);
    }

    private RawClient connect(int port) throws IOException {
        RawClient client = new RawClient(port);
        clients.add(client);
        return client;
    }

    private static int status(RawClient client, String request) throws IOException {
        return client.send(request).response().orElseThrow().status();
    }

    private static int refused(TestService service) throws IOException {
        return service.metric("petstore_refused_connections_total{listener=\"api\"}");
    }

    private static int displaced(TestService service, String listener) throws IOException {
        return service.metric("petstore_displaced_connections_total{listener=\"" + listener + "\"}");
    }
}
