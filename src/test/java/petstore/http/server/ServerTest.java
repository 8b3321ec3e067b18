package petstore.http.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.message.Api;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.telemetry.Telemetry;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The API listener and the admin listener, whose API responds only when the test allows it.
class ServerTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayRespond = new CountDownLatch(1);

    /// The event loop is busy with the request, so it processes the stop only after the response.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsConnectionCloseAfterListeningSocketsAreClosed(boolean admin) throws Exception {
        Server server = start();
        int port = admin ? server.adminPort() : server.port();
        Thread stop = new Thread(server::close);
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.setSoTimeout(Math.toIntExact(LONG.toMillis()));
            client.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            stop.start();
            await().atMost(LONG).until(() -> isRefused(port));
            mayRespond.countDown();
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200 ").containsIgnoringCase("\r\nconnection: close\r\n");
        } finally {
            mayRespond.countDown();
            stop.join();
        }
    }

    private Server start() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Telemetry telemetry = new Telemetry(meters, Optional.empty(), TestService.SILENT,
                new KeyScanner(Optional.empty()));
        Api api = new WaitingApi();
        return Server.start(new ServerSettings("127.0.0.1", 0, "127.0.0.1", 0, new Deadlines(LONG, LONG, LONG), 10,
                Duration.ZERO, new TrustedProxies(List.of(), "none"), Optional.empty()), api, api, telemetry, meters,
                () -> false, Clock.systemUTC());
    }

    private static boolean isRefused(int port) throws IOException {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return !probe.isConnected();
        } catch (ConnectException e) {
            return true;
        }
    }

    private final class WaitingApi implements Api {

        @Override
        public Begun begin(RequestHead head) {
            begun.countDown();
            try {
                assertThat(mayRespond.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return refuse(head, Response.ok("text/plain", new byte[0]));
        }

        @Override
        public Begun refuse(RequestHead head, Response refusal) {
            return new Begun(NO_ROUTE, false, List.of(), CompletableFuture
                    .completedFuture(new Decision(NO_KEY, List.of(), new Respond(refusal))));
        }
    }
}
