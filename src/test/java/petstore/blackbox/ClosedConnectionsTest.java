package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.KeyToken;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.ConcurrentClients;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Clients that close one or both directions of a connection.
class ClosedConnectionsTest {

    /// Long enough that no connection of these tests reaches a deadline.
    private static final Deadlines LONG_DEADLINES = new Deadlines(Duration.ofSeconds(60), Duration.ofSeconds(60),
            Duration.ofSeconds(60));
    private static final int MAX_CONNECTIONS = 3;

    private static final String HEADERS = "Host: x\r\nAuthorization: Bearer " + TestService.KEY + "\r\n";
    private static final String GET = "GET /v1/pets HTTP/1.1\r\n" + HEADERS + "\r\n";
    private static final String SCRIPT = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String HEADERS_WITH_UNKNOWN_KEY = "Host: x\r\nAuthorization: Bearer "
            + new KeyToken("a".repeat(10), "b".repeat(32)).text() + "\r\n";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final String POST = "Content-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n";

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> respondsToHalfClosedConnections() throws InterruptedException {
        try (TestService service = TestService.start(folder, LONG_DEADLINES, 100)) {
            ConcurrentClients clients = new ConcurrentClients();
            addClient(clients, service, "a GET", GET, 200);
            addClient(clients, service, "a POST", "POST /v1/pets HTTP/1.1\r\n" + HEADERS + POST + PET, 201);
            addClient(clients, service, "a request without a key", "GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 401);
            addClient(clients, service, "a GET with an unknown key",
                    "GET /v1/pets HTTP/1.1\r\n" + HEADERS_WITH_UNKNOWN_KEY + "\r\n", 401);
            addClient(clients, service, "a POST with an unknown key",
                    "POST /v1/pets HTTP/1.1\r\n" + HEADERS_WITH_UNKNOWN_KEY + POST + PET, 401);
            addClient(clients, service, "three pipelined requests",
                    GET + "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n" + GET, 200,
                    404,
                    200);
            addClient(clients, service, "500 pipelined requests", GET.repeat(500),
                    Collections.nCopies(500, 200).toArray(Integer[]::new));
            clients.add("sends more than the socket buffers hold and closes the connection", () -> {
                try (RawClient client = new RawClient(service.port())) {
                    client.send(SCRIPT.repeat(8)).socket().shutdownOutput();
                    Thread.sleep(Duration.ofMillis(300));
                    for (int i = 0; i < 8; i++) {
                        assertThat(client.response().orElseThrow().status()).isEqualTo(200);
                    }
                    assertThat(client.isClosedByServer()).isTrue();
                }
            });
            addClient(clients, service, "half a body without a key",
                    "POST /v1/pets HTTP/1.1\r\nHost: x\r\n" + POST + "{", 401);
            for (String part : List.of("", "\r\n\r\n", "GET /v1/pe", "GET /v1/pets HTTP/1.1\r\n",
                    "GET /v1/pets HTTP/1.1\rHost: x\r\r", "GET /v1/pets HTTP/1.1\r\nHost: x\r\n")) {
                addClient(clients, service, part.length() + " bytes of a head", part);
            }
            for (String part : List.of("", "{", PET.substring(1))) {
                addClient(clients, service, part.length() + " bytes of a body",
                        "POST /v1/pets HTTP/1.1\r\n" + HEADERS + POST + part);
            }
            String chunk = "22\r\n" + PET + "\r\n";
            for (String part : List.of("", "2", chunk.substring(0, 11), chunk, chunk + "0\r\nX: a\r\n")) {
                addClient(clients, service, part.length() + " bytes of chunks", "POST /v1/pets HTTP/1.1\r\n" + HEADERS
                        + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + part);
            }
            return clients.run();
        }
    }

    private static void addClient(ConcurrentClients clients, TestService service, String name, String sent,
            Integer... statuses) {
        String outcome = statuses.length == 0 ? "closes" : "responds and closes";
        clients.add(outcome + " the connection after " + name, () -> {
            try (RawClient client = new RawClient(service.port())) {
                client.send(sent).socket().shutdownOutput();
                List<Integer> received = new ArrayList<>();
                client.response().ifPresent(first -> received.add(first.status()));
                while (received.size() < statuses.length) {
                    received.add(client.response().orElseThrow().status());
                }
                assertThat(received).containsExactly(statuses);
                assertThat(client.isClosedByServer()).isTrue();
            }
        });
    }

    @Test
    void freesConnectionsThatClientsCloseInAnyState() throws IOException {
        List<String> inputs = List.of("", "GET /v1/pe", GET, "POST /v1/pets HTTP/1.1\r\n" + HEADERS + POST + "{",
                "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{", GET.repeat(1_000),
                SCRIPT.repeat(20), "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20));
        try (TestService service = TestService.start(folder, LONG_DEADLINES, MAX_CONNECTIONS)) {
            for (boolean withReset : new boolean[]{false, true}) {
                for (String input : inputs) {
                    List<RawClient> clients = connectAll(service);
                    for (RawClient client : clients) {
                        client.send(input).socket().setSoLinger(withReset, 0);
                    }
                    closeAll(clients);
                }
            }
            closeAll(connectAll(service));
            service.awaitNoRequest();
        }
    }

    /// Returns the maximum number of connected clients, each after a response. Until the service has noticed that earlier
    /// clients closed their connections, it may close new connections.
    private static List<RawClient> connectAll(TestService service) throws IOException {
        await("earlier connections are closed").pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(20))
                .until(() -> service.metric("petstore_connections{listener=\"api\",state=\"active\"}")
                        + service.metric("petstore_connections{listener=\"api\",state=\"idle\"}") == 0);
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            RawClient client = new RawClient(service.port());
            clients.add(client);
            assertThat(client.send(GET).response()).isPresent();
        }
        return clients;
    }

    private static void closeAll(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }
}
