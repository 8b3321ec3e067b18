package petstore.http.server;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.message.Api;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.telemetry.Telemetry;
import petstore.testkit.RawClient;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The API listener and the admin listener, whose API waits on the event loop until the test allows the response to [#WAIT].
class ServerTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String WAIT = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    /// Its response waits until the event loop has a task: another connection.
    private static final String QUEUED = "GET /queued HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String NOW = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n";

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayRespond = new CountDownLatch(1);
    private final AtomicBoolean memoryIsShort = new AtomicBoolean();

    /// The event loop is busy with the request, so it processes the stop only after the response.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsConnectionCloseAfterListeningSocketsAreClosed(boolean admin) throws Exception {
        Server server = start();
        int port = admin ? server.adminPort() : server.port();
        Thread stop = new Thread(server::close);
        try (RawClient client = new RawClient(port)) {
            client.send(WAIT);
            assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            stop.start();
            await().atMost(LONG).until(() -> isRefused(port));
            mayRespond.countDown();
            RawClient.Response response = client.response().orElseThrow();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.headers().get("connection")).containsExactly("close");
            assertThat(client.isClosedByServer()).isTrue();
        } finally {
            mayRespond.countDown();
            stop.join();
        }
    }

    /// The request arrives while the event loop is busy. So it is still in the operating system when a connection must be displaced.
    @Test
    void sparesConnectionWithUnreadRequest() throws Exception {
        try (Server server = start();
                RawClient idle = new RawClient(server.adminPort());
                RawClient busy = new RawClient(server.adminPort())) {
            assertThat(idle.send(NOW).response()).isPresent();
            busy.send(QUEUED);
            assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            idle.send(NOW);
            try (RawClient newest = new RawClient(server.adminPort())) {
                assertThat(idle.response()).isPresent();
                assertThat(newest.socket().getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void displacesNoConnectionWhileMemoryIsShort() throws Exception {
        try (Server server = start();
                RawClient first = new RawClient(server.port());
                RawClient second = new RawClient(server.port())) {
            for (RawClient idle : List.of(first, second)) {
                assertThat(idle.send(NOW).response()).isPresent();
            }
            memoryIsShort.set(true);
            try (RawClient newest = new RawClient(server.port())) {
                assertThat(newest.socket().getInputStream().read()).isEqualTo(-1);
            }
            memoryIsShort.set(false);
            for (RawClient idle : List.of(first, second)) {
                assertThat(idle.send(NOW).response()).isPresent();
            }
        }
    }

    private Server start() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Telemetry telemetry = new Telemetry(meters, Optional.empty(), TestService.SILENT,
                new KeyScanner(Optional.empty()));
        Api api = new WaitingApi();
        return Server.start(new ServerSettings("127.0.0.1", 0, "127.0.0.1", 0, new Deadlines(LONG, LONG, LONG), 2,
                Duration.ZERO, new TrustedProxies(List.of(), "none"), Optional.empty()), api, api, telemetry, meters,
                memoryIsShort::get, Clock.systemUTC());
    }

    private static boolean isRefused(int port) throws IOException {
        try (RawClient probe = new RawClient(port)) {
            return !probe.socket().isConnected();
        } catch (ConnectException e) {
            return true;
        }
    }

    private final class WaitingApi implements Api {

        @Override
        public Decision decide(RequestHead head) {
            switch (head.path()) {
                case "/" -> {
                    begun.countDown();
                    try {
                        assertThat(mayRespond.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                case "/queued" -> {
                    SingleThreadEventLoop loop = (SingleThreadEventLoop) ThreadExecutorMap.currentExecutor();
                    begun.countDown();
                    await().atMost(LONG).until(() -> loop.pendingTasks() > 0);
                }
                default -> {
                    // Responds at once.
                }
            }
            return refuse(head, Response.ok("text/plain", new byte[0]));
        }

        @Override
        public Decision refuse(RequestHead head, Response refusal) {
            return new Decision(NO_ROUTE, NO_KEY, List.of(), new Respond(refusal));
        }
    }
}
