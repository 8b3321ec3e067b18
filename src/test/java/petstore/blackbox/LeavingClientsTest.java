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
import petstore.testkit.AtOnce;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Clients that end what they send, or go away, and the number of connections that may be open.
class LeavingClientsTest {

    /// So long that no deadline ends a connection of these tests.
    private static final Deadlines LONG = new Deadlines(Duration.ofSeconds(60), Duration.ofSeconds(60),
            Duration.ofSeconds(60));
    private static final int MOST = 3;

    private static final String HEADERS = "Host: x\r\nAuthorization: Bearer " + TestService.KEY + "\r\n";
    private static final String GET = "GET /v1/pets HTTP/1.1\r\n" + HEADERS + "\r\n";
    private static final String SCRIPT = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String UNKNOWN = "Host: x\r\nAuthorization: Bearer "
            + new KeyToken("a".repeat(10), "b".repeat(32)).text() + "\r\n";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final String POST = "Content-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n";

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> clientsThatOnlyListen() throws InterruptedException {
        try (TestService service = TestService.start(folder, LONG, 100)) {
            AtOnce clients = new AtOnce();
            responses(clients, service, "a GET", GET, 200);
            responses(clients, service, "a POST", "POST /v1/pets HTTP/1.1\r\n" + HEADERS + POST + PET, 201);
            responses(clients, service, "a request without a key", "GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 401);
            responses(clients, service, "a GET with a key it does not know",
                    "GET /v1/pets HTTP/1.1\r\n" + UNKNOWN + "\r\n", 401);
            responses(clients, service, "a POST with a key it does not know",
                    "POST /v1/pets HTTP/1.1\r\n" + UNKNOWN + POST + PET, 401);
            responses(clients, service, "a few requests", GET + "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n" + GET, 200,
                    404,
                    200);
            responses(clients, service, "many requests", GET.repeat(500),
                    Collections.nCopies(500, 200).toArray(Integer[]::new));
            clients.add("answers more than the system holds and closes", () -> {
                try (RawClient client = new RawClient(service.port())) {
                    client.send(SCRIPT.repeat(8)).socket().shutdownOutput();
                    Thread.sleep(Duration.ofMillis(300));
                    for (int i = 0; i < 8; i++) {
                        assertThat(client.response().orElseThrow().status()).isEqualTo(200);
                    }
                    assertThat(client.isClosedByServer()).isTrue();
                }
            });
            responses(clients, service, "half a body that is refused",
                    "POST /v1/pets HTTP/1.1\r\nHost: x\r\n" + POST + "{", 401);
            responses(clients, service, "half a header block", "GET /v1/pets HTTP/1.1\r\nHost: x\r\n");
            responses(clients, service, "half a body", "POST /v1/pets HTTP/1.1\r\n" + HEADERS + POST + "{");
            responses(clients, service, "nothing", "");
            return clients.run();
        }
    }

    private static void responses(AtOnce clients, TestService service, String name, String sent, Integer... statuses) {
        clients.add("answers " + name + " and closes", () -> {
            try (RawClient client = new RawClient(service.port())) {
                client.send(sent).socket().shutdownOutput();
                List<Integer> answered = new ArrayList<>();
                client.response().ifPresent(first -> answered.add(first.status()));
                while (answered.size() < statuses.length) {
                    answered.add(client.response().orElseThrow().status());
                }
                assertThat(answered).containsExactly(statuses);
                assertThat(client.isClosedByServer()).isTrue();
            }
        });
    }

    @Test
    void closesConnectionsAboveTheLimitAtOnceAndServesTheOthers() throws IOException {
        try (TestService service = TestService.start(folder, LONG, MOST)) {
            List<RawClient> clients = connectAll(service);
            try (RawClient oneMore = new RawClient(service.port())) {
                assertThat(oneMore.isClosedByServer()).isTrue();
            }
            for (RawClient client : clients) {
                assertThat(client.send(GET).response().orElseThrow().status()).isEqualTo(200);
            }
            try (RawClient operator = new RawClient(service.adminPort())) {
                assertThat(operator.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").response()).isPresent();
            }
            closeAll(clients);
            closeAll(connectAll(service));
        }
    }

    @Test
    void closedConnectionsLeaveNothingBehindInEachState() throws IOException {
        List<String> lastWords = List.of("", "GET /v1/pe", GET, "POST /v1/pets HTTP/1.1\r\n" + HEADERS + POST + "{",
                "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{", GET.repeat(1_000),
                SCRIPT.repeat(20), "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20));
        try (TestService service = TestService.start(folder, LONG, MOST)) {
            for (boolean reset : new boolean[]{false, true}) {
                for (String words : lastWords) {
                    List<RawClient> clients = connectAll(service);
                    for (RawClient client : clients) {
                        client.send(words).socket().setSoLinger(reset, 0);
                    }
                    closeAll(clients);
                }
            }
            closeAll(connectAll(service));
            service.awaitNoRequest();
        }
    }

    /// As many clients as may be connected at once, each of which gets an answer. Until the service has noticed that others
    /// went away, it closes the connections of new ones.
    private static List<RawClient> connectAll(TestService service) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        long start = System.nanoTime();
        while (clients.size() < MOST) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            RawClient client = new RawClient(service.port());
            if (client.send(GET).response().isPresent()) {
                clients.add(client);
            } else {
                client.close();
            }
        }
        return clients;
    }

    private static void closeAll(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }
}
