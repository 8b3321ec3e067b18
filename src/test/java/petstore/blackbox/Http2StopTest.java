package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static petstore.testkit.RawHttp2Client.LIVEZ;
import static petstore.testkit.RawHttp2Client.POST;

/// Connections of HTTP/2 while the service stops. Source: RFC 9113 section 6.8.
@Execution(ExecutionMode.CONCURRENT)
class Http2StopTest {

    private static final Duration ROUND_TRIP = Duration.ofSeconds(1);
    private static final Duration SLACK = Duration.ofSeconds(5);

    private static TestCertificate certificate;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeCertificate() {
        certificate = TestCertificate.ec();
    }

    private TestService start() {
        return TestService.start(folder.resolve("data"), Clock.systemUTC(),
                http -> http.tls(certificate.write(folder)));
    }

    /// Fails unless the next GOAWAY is the first one. Returns the PING that follows it.
    private static Frame firstGoAway(RawHttp2Client client) throws IOException {
        Frame first = client.await(RawHttp2Client.GOAWAY).orElseThrow();
        assertThat(first.lastStream()).isEqualTo(Integer.MAX_VALUE);
        assertThat(first.errorCode()).isZero();
        Frame ping = client.await(RawHttp2Client.PING, RawHttp2Client.GOAWAY).orElseThrow();
        assertThat(ping.type()).as("PING").isEqualTo(RawHttp2Client.PING);
        return ping;
    }

    private static void assertSecondGoAway(RawHttp2Client client, int lastStream) throws IOException {
        Frame second = client.await(RawHttp2Client.GOAWAY, RawHttp2Client.HEADERS).orElseThrow();
        assertThat(second.type()).as("GOAWAY").isEqualTo(RawHttp2Client.GOAWAY);
        assertThat(second.lastStream()).isEqualTo(lastStream);
        assertThat(second.errorCode()).isZero();
    }

    private static void assertClosed(RawHttp2Client client) throws IOException {
        assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM, RawHttp2Client.GOAWAY)).isEmpty();
    }

    @Test
    void answersStreamsOpenedBeforeSecondGoAway() throws IOException, InterruptedException {
        TestService service = start();
        try (RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            client.request(1, false, POST).request(3, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            Thread stopping = Thread.ofVirtual().start(service::close);
            Frame ping = firstGoAway(client);
            // The client had sent this stream before it read GOAWAY.
            client.request(5, true, LIVEZ);
            Frame between = client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY).orElseThrow();
            assertThat(between.stream()).isEqualTo(5);
            assertThat(between.status()).isEqualTo(200);
            client.request(7, false, POST).send(RawHttp2Client.PING, RawHttp2Client.ACK, 0, ping.payload().array());
            assertSecondGoAway(client, 7);
            // The last stream was named; so this one is ignored.
            client.request(9, true, LIVEZ);
            for (int stream : new int[]{7, 1}) {
                client.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, stream, (byte) '{', (byte) '}');
                Frame response = client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY).orElseThrow();
                assertThat(response.stream()).isEqualTo(stream);
                assertThat(response.status()).isEqualTo(400);
            }
            assertClosed(client);
            stopping.join();
        }
    }

    /// During the delay the streams of a client that has not read GOAWAY are still served, also on a new connection.
    @Test
    void announcesStopAtBeginOfShutdownDelay() throws IOException, InterruptedException {
        TestService service = TestService.start(folder.resolve("data"), Clock.systemUTC(),
                http -> http.tls(certificate.write(folder)).shutdownDelay(Duration.ofSeconds(4)));
        try (RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            client.request(1, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            Thread stopping = Thread.ofVirtual().start(service::close);
            List<RawHttp2Client> clients = List.of(client, new RawHttp2Client(service.port()).begin());
            for (RawHttp2Client each : clients) {
                assertThat(each.await(RawHttp2Client.GOAWAY).orElseThrow().lastStream()).isEqualTo(Integer.MAX_VALUE);
                each.request(3, true, LIVEZ);
                Frame response = each.await(RawHttp2Client.HEADERS, RawHttp2Client.PING, RawHttp2Client.GOAWAY)
                        .orElseThrow();
                assertThat(response.status()).as("before the end of the delay").isEqualTo(200);
            }
            for (RawHttp2Client each : clients) {
                Frame ping = each.await(RawHttp2Client.PING, RawHttp2Client.GOAWAY).orElseThrow();
                assertThat(ping.type()).as("PING at the end of the delay").isEqualTo(RawHttp2Client.PING);
                each.close();
            }
            stopping.join();
        }
    }

    @Test
    void closesIdleConnectionAfterRoundTrip() throws IOException, InterruptedException {
        TestService service = start();
        Thread stopping = Thread.ofVirtual().unstarted(service::close);
        Instant stopped;
        try (RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            client.request(1, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            stopped = Instant.now();
            stopping.start();
            client.send(RawHttp2Client.PING, RawHttp2Client.ACK, 0, firstGoAway(client).payload().array());
            assertSecondGoAway(client, 1);
            assertClosed(client);
        }
        stopping.join();
        assertThat(Duration.between(stopped, Instant.now())).isLessThan(ROUND_TRIP);
    }

    /// Another PING's ACK does not count.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void namesLastStreamAfterSecondWithoutAck(boolean acknowledgesAnother) throws IOException, InterruptedException {
        TestService service = start();
        try (RawHttp2Client client = new RawHttp2Client(service.port()).begin()) {
            client.request(1, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
            Instant stopped = Instant.now();
            Thread stopping = Thread.ofVirtual().start(service::close);
            firstGoAway(client);
            if (acknowledgesAnother) {
                client.send(RawHttp2Client.PING, RawHttp2Client.ACK, 0, new byte[8]);
            }
            client.request(3, true, LIVEZ);
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY).orElseThrow().status())
                    .isEqualTo(200);
            assertSecondGoAway(client, 3);
            assertThat(Duration.between(stopped, Instant.now())).isBetween(ROUND_TRIP, ROUND_TRIP.plus(SLACK));
            assertClosed(client);
            stopping.join();
        }
    }

    /// Neither a client that has only completed the handshake, nor one that has sent no request.
    @Test
    void closesConnectionsWithoutRequest() throws IOException, InterruptedException {
        TestService service = start();
        try (RawHttp2Client silent = new RawHttp2Client(service.port());
                RawHttp2Client begun = new RawHttp2Client(service.port()).begin()) {
            assertThat(begun.await(RawHttp2Client.SETTINGS)).isPresent();
            Instant stopped = Instant.now();
            Thread stopping = Thread.ofVirtual().start(service::close);
            begun.send(RawHttp2Client.PING, RawHttp2Client.ACK, 0, firstGoAway(begun).payload().array());
            assertSecondGoAway(begun, 0);
            assertClosed(begun);
            assertThat(silent.await(RawHttp2Client.DATA)).isEmpty();
            stopping.join();
            assertThat(Duration.between(stopped, Instant.now())).isLessThan(ROUND_TRIP.plus(SLACK));
        }
    }
}
