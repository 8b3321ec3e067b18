package petstore.app;

import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.HttpSettings.Deadlines;

import static org.assertj.core.api.Assertions.assertThat;

/// Clients that ask for much at once and do not read it, or read it slowly.
class UnreadAnswersTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration REQUEST = Duration.ofSeconds(2);
    private static final Duration SLACK = Duration.ofMillis(1_500);
    /// What the system holds of both directions, and what the service has read before it stops.
    private static final long MOST_BYTES_TAKEN_IN = 20L * 1024 * 1024;
    private static final int SMALL_BUFFER = 4 * 1024;

    private static final String HEADERS = "Host: x\r\nAuthorization: Bearer " + TestService.KEY + "\r\n";
    private static final String PAGE = "GET /v1/pets?limit=100 HTTP/1.1\r\n" + HEADERS + "\r\n";
    private static final String SCRIPT = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String PET = "{\"name\":\"" + "x".repeat(255) + "\",\"categoryId\":7}";
    private static final String POST = "POST /v1/pets HTTP/1.1\r\n" + HEADERS
            + "Content-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n" + PET;

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> everybodyAtOnce() throws InterruptedException {
        try (TestService service = TestService.start(folder, new Deadlines(LONG, LONG, REQUEST), 100)) {
            for (int i = 0; i < 100; i++) {
                assertThat(service.client().post(PET).statusCode()).isEqualTo(201);
            }
            AtOnce clients = new AtOnce();
            clients.add("stops reading and answering when answers pile up", () -> stopsWhenAnswersPileUp(service));
            clients.add("goes on when they are read at last", () -> goesOnWhenRead(service));
            clients.add("closes who reads by drips", () -> closesWhoReadsByDrips(service));
            clients.add("keeps who reads each answer in time", () -> keepsWhoReadsInTime(service));
            return clients.run();
        }
    }

    /// The animal behind more pages than the system can hold is never added.
    private static void stopsWhenAnswersPileUp(TestService service) throws IOException {
        long start = System.nanoTime();
        long sent = 0;
        try (RawClient client = new RawClient(service.port())) {
            client.send(PAGE.repeat(3_000) + POST);
            String more = PAGE.repeat(1_000);
            while (sent < 2 * MOST_BYTES_TAKEN_IN) {
                client.send(more);
                sent += more.length();
            }
        } catch (SocketException e) {
            assertThat(since(start)).isBetween(REQUEST, REQUEST.plus(SLACK));
        }
        assertThat(sent).isLessThan(MOST_BYTES_TAKEN_IN);
        assertThat(service.client().get("/v1/pets/101").statusCode()).isEqualTo(404);
    }

    private static void goesOnWhenRead(TestService service) throws IOException, InterruptedException {
        int count = 1_000;
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append(PAGE.replace("\r\n\r\n", "\r\nX-Request-Id: request-" + i + "\r\n\r\n"));
        }
        try (RawClient client = new RawClient(service.port())) {
            client.send(requests.toString());
            Thread.sleep(REQUEST.dividedBy(4));
            for (int i = 0; i < count; i++) {
                RawClient.Answer answer = client.answer().orElseThrow();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.headers().get("x-request-id")).containsExactly("request-" + i);
            }
        }
    }

    private static void closesWhoReadsByDrips(TestService service) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(service.port(), SMALL_BUFFER)) {
            client.send(SCRIPT.repeat(8));
            while (client.socket().getInputStream().read(new byte[128]) > 0
                    && since(start).compareTo(REQUEST.multipliedBy(2)) < 0) {
                Thread.sleep(Duration.ofMillis(10));
            }
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        assertThat(since(start)).isBetween(REQUEST, REQUEST.plus(SLACK));
    }

    /// All answers together take longer than one may take.
    private static void keepsWhoReadsInTime(TestService service) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (RawClient client = new RawClient(service.port())) {
            client.send(SCRIPT.repeat(16));
            for (int i = 0; i < 16; i++) {
                Thread.sleep(REQUEST.dividedBy(8));
                assertThat(client.answer().orElseThrow().status()).isEqualTo(200);
            }
        }
        assertThat(since(start)).isGreaterThan(REQUEST.multipliedBy(3).dividedBy(2));
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
