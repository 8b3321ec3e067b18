package petstore.blackbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Responses over HTTP/2 to clients whose windows or sockets are full.
class Http2FlowTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    /// The time after which a client that has sent nothing is blocked.
    private static final Duration STILL = Duration.ofMillis(300);
    private static final int CANCEL = 8;
    private static final int STREAMS = 100;
    private static final int NO_WINDOW = 0;
    private static final int WIDE = 1 << 25;
    /// Of the default size, which SETTINGS do not change.
    private static final int CONNECTION_WINDOW = 65_535;

    @TempDir
    private static Path folder;
    @AutoClose
    private static TestService service;
    private static int length;

    @BeforeAll
    static void start() throws IOException {
        service = TestService.start(folder.resolve("data"), Clock.systemUTC(), http -> http
                .deadlines(new Deadlines(LONG, LONG, LONG)).tls(TestCertificate.ec().write(folder)));
        try (RawHttp2Client client = connect(0, WIDE)) {
            widen(client, 0, WIDE);
            length = receive(client, List.of(1)).values().iterator().next();
        }
        assertThat(length).isGreaterThan(150_000);
    }

    /// @param window of each stream
    private static RawHttp2Client connect(int receiveBufferBytes, int window) throws IOException {
        return new RawHttp2Client(service.port(), receiveBufferBytes)
                .begin(ByteBuffer.allocate(6).putShort((short) 4).putInt(window).array());
    }

    private static void widen(RawHttp2Client client, int stream, int bytes) throws IOException {
        client.send(RawHttp2Client.WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    private static List<Integer> streams(int number) {
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            streams.add(2 * i + 1);
        }
        return streams;
    }

    private static void request(RawHttp2Client client, List<Integer> streams) throws IOException {
        client.send(streams.stream().map(stream -> RawHttp2Client.head(stream, true, ":method", "GET", ":scheme",
                "https", ":path", "/docs/swagger-ui.css", ":authority", "localhost")).toList());
    }

    /// Sends requests whose streams have no window, and awaits the heads of the responses.
    private static void requestWithoutWindow(RawHttp2Client client, int streams) throws IOException {
        request(client, streams(streams));
        for (int i = 0; i < streams; i++) {
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.DATA).orElseThrow().status())
                    .isEqualTo(200);
        }
    }

    private static Map<Integer, Integer> receive(RawHttp2Client client, List<Integer> streams) throws IOException {
        request(client, streams);
        return received(client, streams.size());
    }

    /// Returns the number of bytes that each stream receives to its end.
    private static Map<Integer, Integer> received(RawHttp2Client client, int streams) throws IOException {
        Map<Integer, Integer> bytes = new HashMap<>();
        for (int ended = 0; ended < streams;) {
            Frame frame = client.await(RawHttp2Client.DATA, RawHttp2Client.RST_STREAM, RawHttp2Client.GOAWAY)
                    .orElseThrow();
            assertThat(frame.type()).as("DATA").isEqualTo(RawHttp2Client.DATA);
            bytes.merge(frame.stream(), frame.payload().remaining(), Integer::sum);
            ended += frame.isLast() ? 1 : 0;
        }
        return bytes;
    }

    private static void assertWhole(Map<Integer, Integer> bytes, int streams) {
        assertThat(bytes).hasSize(streams);
        assertThat(Set.copyOf(bytes.values())).containsExactly(length);
    }

    /// The socket fills and empties many times, while all streams have more to send.
    @ParameterizedTest
    @CsvSource({"0", "4096", "65536"})
    void sendsManyLongResponsesThroughFullSocket(int receiveBufferBytes) throws IOException {
        try (RawHttp2Client client = connect(receiveBufferBytes, WIDE)) {
            for (int i = 0; i < 6; i++) {
                widen(client, 0, WIDE);
            }
            request(client, streams(STREAMS));
            assertWhole(received(client, STREAMS), STREAMS);
        }
        service.awaitNoRequest();
    }

    /// The windows of the streams open in another order than that of the requests, in steps.
    @Test
    void sendsWholeResponsesAsWindowsOpen() throws IOException {
        int streams = 10;
        try (RawHttp2Client client = connect(0, NO_WINDOW)) {
            requestWithoutWindow(client, streams);
            widen(client, 0, WIDE);
            for (int stream : streams(streams).reversed()) {
                widen(client, stream, 1);
                Frame first = client.await(RawHttp2Client.DATA).orElseThrow();
                assertThat(first.stream()).isEqualTo(stream);
                assertThat(first.payload().remaining()).isEqualTo(1);
            }
            for (int stream : streams(streams).reversed()) {
                widen(client, stream, length - 1);
            }
            Map<Integer, Integer> bytes = received(client, streams);
            bytes.replaceAll((_, rest) -> rest + 1);
            assertWhole(bytes, streams);
        }
    }

    /// The window of the connection is the one that is full.
    @Test
    void sendsWholeResponsesAsWindowOfConnectionOpens() throws IOException {
        int streams = 10;
        try (RawHttp2Client client = connect(0, WIDE)) {
            request(client, streams(streams));
            int left = streams * length;
            int window = CONNECTION_WINDOW;
            int ended = 0;
            while (left > 0) {
                Frame data = client.await(RawHttp2Client.DATA).orElseThrow();
                left -= data.payload().remaining();
                window -= data.payload().remaining();
                ended += data.isLast() ? 1 : 0;
                if (window == 0) {
                    window = 3 * CONNECTION_WINDOW;
                    widen(client, 0, window);
                }
            }
            assertThat(ended).isEqualTo(streams);
        }
    }

    /// The client opens all windows at once, by SETTINGS.
    @Test
    void sendsRestAfterSettingsOpenWindows() throws IOException {
        try (RawHttp2Client client = connect(0, NO_WINDOW)) {
            widen(client, 0, WIDE);
            requestWithoutWindow(client, 3);
            client.send(RawHttp2Client.SETTINGS, 0, 0,
                    ByteBuffer.allocate(6).putShort((short) 4).putInt(WIDE).array());
            assertWhole(received(client, 3), 3);
        }
    }

    @Test
    void finishesRequestsIfClientDisconnectsDuringResponses() throws IOException {
        for (int frames = 0; frames < 100; frames += 5) {
            try (RawHttp2Client client = connect(0, WIDE)) {
                widen(client, 0, WIDE);
                request(client, streams(10));
                for (int i = 0; i < frames; i++) {
                    assertThat(client.await(RawHttp2Client.DATA)).isPresent();
                }
            }
        }
        service.awaitNoRequest();
    }

    @Test
    void endsRequestsThatClientResetsWhileResponseWaits() throws IOException {
        try (RawHttp2Client client = connect(0, NO_WINDOW)) {
            widen(client, 0, WIDE);
            requestWithoutWindow(client, 3);
            for (int stream : List.of(1, 3)) {
                client.send(RawHttp2Client.RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
            }
            widen(client, 5, length);
            assertThat(received(client, 1)).isEqualTo(Map.of(5, length));
        }
        service.awaitNoRequest();
    }

    /// Each PING causes a frame that waits for the client, and Netty closes a connection with 10,000 of them.
    @Test
    void doesNotReadClientThatReadsNothing() throws IOException, InterruptedException {
        int batches = 100;
        List<byte[]> pings = Collections.nCopies(1_000, RawHttp2Client.frame(RawHttp2Client.PING, 0, 0, new byte[8]));
        AtomicInteger sent = new AtomicInteger();
        try (RawHttp2Client client = connect(4 * 1024, WIDE)) {
            Thread.ofVirtual().start(() -> {
                try {
                    while (sent.getAndIncrement() < batches) {
                        client.send(pings);
                    }
                } catch (IOException e) {
                    // The client then misses responses.
                }
            });
            for (int before = -1; before != sent.get();) {
                before = sent.get();
                Thread.sleep(STILL);
            }
            for (int i = 0; i < batches * pings.size(); i++) {
                assertThat(client.await(RawHttp2Client.PING)).as("response %s", i).isPresent();
            }
        }
    }
}
