package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Incomplete requests. There is nothing to refuse yet, so the service closes the connection without a response. It does so at the
/// deadline, or as soon as the client shuts down its output.
class UnfinishedRequestsTest {

    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String POST = "POST /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + BadRequest.KEY
            + BadRequest.JSON;

    private static final Map<String, String> INCOMPLETE_REQUESTS = Map.ofEntries(
            Map.entry("nothing", ""),
            Map.entry("empty lines", "\r\n\r\n"),
            Map.entry("half a request line", "GET /v1/pe"),
            Map.entry("a request line", "GET /v1/pets HTTP/1.1\r\n"),
            Map.entry("bare carriage returns", "GET /v1/pets HTTP/1.1\r" + BadRequest.HOST.replace("\n", "") + "\r"),
            Map.entry("half a header block", "GET /v1/pets HTTP/1.1\r\n" + BadRequest.HOST),
            Map.entry("no body", POST + "Content-Length: 27\r\n\r\n"),
            Map.entry("half a body", POST + "Content-Length: 27\r\n\r\n{\"name\":\"a\""),
            Map.entry("a body without its last byte",
                    POST + "Content-Length: 28\r\n\r\n{\"name\":\"a\",\"categoryId\":1}"),
            Map.entry("no chunk", POST + "Transfer-Encoding: chunked\r\n\r\n"),
            Map.entry("half a chunk size", POST + "Transfer-Encoding: chunked\r\n\r\n1"),
            Map.entry("half a chunk", POST + "Transfer-Encoding: chunked\r\n\r\n1b\r\n{\"name\""),
            Map.entry("no last chunk",
                    POST + "Transfer-Encoding: chunked\r\n\r\n1b\r\n{\"name\":\"a\",\"categoryId\":1}\r\n"),
            Map.entry("half a trailer",
                    POST + "Transfer-Encoding: chunked\r\n\r\n1b\r\n{\"name\":\"a\",\"categoryId\":1}\r\n0\r\nX: a\r\n"));

    @TempDir
    private Path folder;

    @Test
    void closesConnectionAtDeadline() throws IOException {
        assertCloses(SHORT, false);
    }

    @Test
    void closesConnectionWhenClientShutsDownOutput() throws IOException {
        assertCloses(LONG, true);
    }

    /// All clients wait at the same time.
    private void assertCloses(Duration deadline, boolean shutDownOutput) throws IOException {
        Deadlines deadlines = new Deadlines(deadline, deadline, deadline);
        try (TestService service = TestService.start(folder, Clock.systemUTC(), http -> http.deadlines(deadlines))) {
            assertCloses(service, shutDownOutput);
            // On a slow machine, the service may close this connection too, so the client retries.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(service.client().get("/v1/pets").body()).isEqualTo("[]"));
        }
    }

    private static void assertCloses(TestService service, boolean shutDownOutput) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try {
            for (String request : INCOMPLETE_REQUESTS.values()) {
                RawClient client = new RawClient(service.port());
                clients.add(client);
                client.send(request);
                if (shutDownOutput) {
                    client.socket().shutdownOutput();
                }
            }
            int i = 0;
            for (String name : INCOMPLETE_REQUESTS.keySet()) {
                assertThat(clients.get(i++).response()).as(name).isEmpty();
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
