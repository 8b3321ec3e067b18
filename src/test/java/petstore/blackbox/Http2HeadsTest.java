package petstore.blackbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.netty.handler.codec.http2.Http2Error;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import petstore.http.telemetry.RequestLog.FinishedRequest;
import petstore.testkit.LogLines;
import petstore.testkit.RawHttp2Client;
import petstore.testkit.RawHttp2Client.Frame;
import petstore.testkit.ServedContract;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static petstore.testkit.RawHttp2Client.LIVEZ;
import static petstore.testkit.RawHttp2Client.POST;
import static petstore.testkit.RawHttp2Client.and;

/// Heads of HTTP/2, and frames that violate RFC 9113 or are too long. Other streams go on.
class Http2HeadsTest {

    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /// A malformed head: its fields, names and values in turn.
    @SuppressWarnings("ArrayRecordComponent") // Heads are not compared.
    record Malformed(String name, String... fields) {

        Malformed with(String field, String value) {
            String[] changed = fields.clone();
            changed[Arrays.asList(fields).indexOf(field) + 1] = value;
            return new Malformed(name, changed);
        }

        Malformed and(String field, String value) {
            return new Malformed(name, RawHttp2Client.and(fields, field, value));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Malformed> MALFORMED = List.of(
            new Malformed("CONNECT", ":method", "CONNECT", ":authority", "localhost:80"),
            new Malformed("CONNECT with a path", LIVEZ).with(":method", "CONNECT"),
            new Malformed("extended CONNECT", LIVEZ).with(":method", "CONNECT").and(":protocol", "websocket"),
            new Malformed(":protocol without CONNECT", LIVEZ).and(":protocol", "websocket"),
            new Malformed("no :method", ":scheme", "https", ":path", "/livez", ":authority", "x"),
            new Malformed("an empty :method", LIVEZ).with(":method", ""),
            new Malformed("a space in :method", LIVEZ).with(":method", "GET X"),
            new Malformed("NUL in :method", LIVEZ).with(":method", "G\0T"),
            new Malformed("non-ASCII bytes in :method", LIVEZ).with(":method", "G\u00E2\u0080\u00A8T"),
            new Malformed("quotes in :method", LIVEZ).with(":method", "G\"T"),
            new Malformed("no :scheme", ":method", "GET", ":path", "/livez", ":authority", "x"),
            new Malformed("no :path", ":method", "GET", ":scheme", "https", ":authority", "x"),
            new Malformed("no pseudo-field", "host", "x"),
            new Malformed("an empty :path", LIVEZ).with(":path", ""),
            new Malformed("two :path", LIVEZ).and(":path", "/livez"),
            new Malformed("two :method", LIVEZ).and(":method", "GET"),
            new Malformed("two :scheme", LIVEZ).and(":scheme", "https"),
            new Malformed("two :authority", LIVEZ).and(":authority", "x"),
            new Malformed(":status", LIVEZ).and(":status", "200"),
            new Malformed("an unknown pseudo-field", LIVEZ).and(":x", "y"),
            new Malformed("a pseudo-field after a field", ":method", "GET", ":scheme", "https", "x", "y", ":path",
                    "/livez", ":authority", "x"),
            new Malformed("a name in upper case", LIVEZ).and("X", "y"),
            new Malformed("an empty name", LIVEZ).and("", "y"),
            new Malformed("a space in a name", LIVEZ).and("x y", "z"),
            new Malformed("a colon in a name", LIVEZ).and("x:y", "z"),
            new Malformed("CR in a name", LIVEZ).and("x\ry", "z"),
            new Malformed("NUL in a name", LIVEZ).and("x\0", "z"),
            new Malformed("a non-ASCII byte in a name", LIVEZ).and("x\u00E9", "z"),
            new Malformed("CR in a value", LIVEZ).and("x", "y\rz"),
            new Malformed("LF in a value", LIVEZ).and("x", "y\nz"),
            new Malformed("CRLF and a field in a value", LIVEZ).and("x", "y\r\nAuthorization: z"),
            new Malformed("NUL in a value", LIVEZ).and("x", "y\0z"),
            new Malformed("a space before a value", LIVEZ).and("x", " y"),
            new Malformed("a space after a value", LIVEZ).and("x", "y "),
            new Malformed("a tab before a value", LIVEZ).and("x", "\ty"),
            new Malformed("a tab after a value", LIVEZ).and("x", "y\t"),
            new Malformed("only a space as value", LIVEZ).and("x", " "),
            new Malformed("CR in :path", LIVEZ).with(":path", "/livez\r"),
            new Malformed("LF in :authority", LIVEZ).with(":authority", "x\ny"),
            new Malformed("NUL in :scheme", LIVEZ).with(":scheme", "https\0"),
            new Malformed("a space after :path", LIVEZ).with(":path", "/livez "),
            new Malformed("a space before :authority", LIVEZ).with(":authority", " x"),
            new Malformed("connection", LIVEZ).and("connection", "close"),
            new Malformed("keep-alive", LIVEZ).and("keep-alive", "timeout=5"),
            new Malformed("proxy-connection", LIVEZ).and("proxy-connection", "close"),
            new Malformed("transfer-encoding", LIVEZ).and("transfer-encoding", "chunked"),
            new Malformed("upgrade", LIVEZ).and("upgrade", "websocket"),
            new Malformed("te: gzip", LIVEZ).and("te", "gzip"),
            new Malformed("te: trailers, gzip", LIVEZ).and("te", "trailers, gzip"),
            new Malformed("a length of a request without body", LIVEZ).and("content-length", "1"),
            new Malformed("a length that is not a number", POST).and("content-length", "x"),
            new Malformed("a negative length", POST).and("content-length", "-1"),
            new Malformed("a length with a plus", POST).and("content-length", "+1"),
            new Malformed("a length beyond 63 bits", POST).and("content-length", "9223372036854775808"),
            new Malformed("two lengths", POST).and("content-length", "35").and("content-length", "36"));

    @TempDir
    private static Path folder;
    @AutoClose
    private static TestService service;
    private static final List<FinishedRequest> LOG = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() {
        service = TestService.start(folder.resolve("data"), Clock.systemUTC(),
                http -> http.tls(TestCertificate.ec().write(folder)), TestService.log(LOG::add));
    }

    @BeforeEach
    void clearLog() {
        service.awaitNoRequest();
        LOG.clear();
    }

    private static RawHttp2Client connect() throws IOException {
        return new RawHttp2Client(service.port()).begin();
    }

    /// The malformed stream ends. The earlier stream of the connection gets its response, and so does a later one.
    @ParameterizedTest
    @FieldSource("MALFORMED")
    void resetsOnlyMalformedStream(Malformed head) throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, false, POST).request(3, !head.fields()[1].equals("POST"), head.fields());
            assertReset(client, 3);
            assertStillServed(client, 1, 5);
        }
        awaitLogged(2);
    }

    /// A client that cancels, or has not read the reset yet, sends further frames on the stream.
    @ParameterizedTest
    @FieldSource("MALFORMED")
    void framesAfterMalformedHeadConcernOnlyItsStream(Malformed head) throws IOException {
        boolean isWithoutBody = head.name().contains("without body");
        for (byte[] next : FURTHER_FRAMES) {
            try (RawHttp2Client client = connect()) {
                client.request(1, false, POST)
                        .send(List.of(RawHttp2Client.head(3, isWithoutBody, head.fields()), next, next));
                assertReset(client, 3);
                assertStillServed(client, 1, 5);
            }
        }
    }

    private static final List<byte[]> FURTHER_FRAMES = List.of(
            RawHttp2Client.frame(RawHttp2Client.DATA, 0, 3, new byte[10]),
            RawHttp2Client.frame(RawHttp2Client.RST_STREAM, 0, 3, new byte[]{0, 0, 0, 8}),
            RawHttp2Client.frame(RawHttp2Client.WINDOW_UPDATE, 0, 3, new byte[]{0, 0, 1, 0}));

    /// The limit of streams is reached. The new one is refused, also if its head is too long.
    @ParameterizedTest
    @ValueSource(ints = {0, 12_000, 41_500})
    void streamAboveLimitConcernsNoOther(int length) throws IOException {
        String[] head = and(POST, "x", "y".repeat(length));
        for (byte[] next : FURTHER_FRAMES) {
            next[8] = (byte) 201;
            try (RawHttp2Client client = connect()) {
                client.await(RawHttp2Client.SETTINGS);
                client.send(RawHttp2Client.SETTINGS, RawHttp2Client.ACK, 0);
                for (int stream = 1; stream < 200; stream += 2) {
                    client.request(stream, false, POST);
                }
                client.send(List.of(RawHttp2Client.head(201, false, head), next, next));
                Frame end = client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM, RawHttp2Client.GOAWAY)
                        .orElseThrow();
                assertThat(end.stream()).isEqualTo(201);
                for (int stream = 1; stream < 200; stream += 2) {
                    assertStillServed(client, stream, 201 + 2 * stream);
                }
            } finally {
                next[8] = 3;
            }
        }
    }

    /// Fails unless the next frame that ends a stream resets this one.
    private static void assertReset(RawHttp2Client client, int stream) throws IOException {
        assertReset(client, stream, Http2Error.PROTOCOL_ERROR);
    }

    private static void assertReset(RawHttp2Client client, int stream, Http2Error error) throws IOException {
        Frame end = client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM, RawHttp2Client.GOAWAY)
                .orElseThrow();
        assertThat(end.type()).as("RST_STREAM").isEqualTo(RawHttp2Client.RST_STREAM);
        assertThat(end.stream()).isEqualTo(stream);
        assertThat(Http2Error.valueOf(end.errorCode())).isEqualTo(error);
    }

    /// Completes a stream with a body that is refused, and requests another one.
    private static void assertStillServed(RawHttp2Client client, int open, int next) throws IOException {
        client.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, open, (byte) '{', (byte) '}');
        Frame completed = client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY).orElseThrow();
        assertThat(completed.stream()).isEqualTo(open);
        assertThat(completed.status()).isEqualTo(400);
        client.request(next, true, LIVEZ);
        assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY).orElseThrow().status()).isEqualTo(200);
    }

    /// Waits until this number of requests is logged, without any other.
    private static void awaitLogged(int number) {
        await().pollInterval(5, MILLISECONDS).atMost(PATIENCE).until(() -> LOG.size() >= number);
        assertThat(LOG).hasSize(number);
    }

    @Test
    void acceptsTeTrailersAndEmptyValues() throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, true, and(LIVEZ, "te", "trailers", "x", "", "y", "a \t b", "z", "z".repeat(4_000)));
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM).orElseThrow().status())
                    .isEqualTo(200);
        }
    }

    @Test
    void announcesLimits() throws IOException {
        try (RawHttp2Client client = connect()) {
            ByteBuffer settings = client.await(RawHttp2Client.SETTINGS).orElseThrow().payload();
            Map<Integer, Integer> values = new HashMap<>();
            while (settings.hasRemaining()) {
                values.put((int) settings.getShort(), settings.getInt());
            }
            assertThat(values).as("MAX_CONCURRENT_STREAMS, MAX_HEADER_LIST_SIZE").containsEntry(3, 100)
                    .containsEntry(6, 40 * 1024);
        }
    }

    /// The response has a body and is logged and counted. Each field counts 32 bytes more than its name and value.
    @ParameterizedTest
    @CsvSource({"8193, false", "12000, true", "31000, false", "33000, false", "33000, true", "39000, false",
            "39000, true", "40600, true"})
    void refusesLongHeaderBlock(int length, boolean acknowledgesLimits) throws IOException {
        long before = refused431();
        try (RawHttp2Client client = connect()) {
            if (acknowledgesLimits) {
                client.await(RawHttp2Client.SETTINGS);
                client.send(RawHttp2Client.SETTINGS, RawHttp2Client.ACK, 0);
            }
            client.request(1, false, POST).request(3, true, and(LIVEZ, "x", "y".repeat(length)));
            Frame head = client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM, RawHttp2Client.GOAWAY)
                    .orElseThrow();
            assertThat(head.stream()).isEqualTo(3);
            assertThat(head.status()).isEqualTo(431);
            assertThat(head.isLast()).as("without body").isFalse();
            Frame body = client.await(RawHttp2Client.DATA, RawHttp2Client.RST_STREAM).orElseThrow();
            assertThat(ServedContract.json(text(body)).get("code").asText()).isEqualTo("invalid_request");
            assertThat(ServedContract.json(text(body)).get("message").asText())
                    .isEqualTo("the header block is too long");
            assertStillServed(client, 1, 5);
        }
        awaitLogged(3);
        assertThat(LOG.getFirst().status()).isEqualTo(431);
        assertThat(LOG.getFirst().route()).isEqualTo("unmatched");
        assertThat(refused431()).isEqualTo(before + 1);
    }

    /// Netty refuses a block of more than 40 KiB, without a body.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesHeaderBlockThatIsNotRead(boolean acknowledgesLimits) throws IOException {
        try (RawHttp2Client client = connect()) {
            if (acknowledgesLimits) {
                client.await(RawHttp2Client.SETTINGS);
                client.send(RawHttp2Client.SETTINGS, RawHttp2Client.ACK, 0);
            }
            client.request(1, false, POST).request(3, true, and(LIVEZ, "x", "y".repeat(41_500)));
            Frame head = client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM, RawHttp2Client.GOAWAY)
                    .orElseThrow();
            assertThat(head.stream()).isEqualTo(3);
            assertThat(head.status()).isEqualTo(431);
            assertStillServed(client, 1, 5);
        }
    }

    private static long refused431() throws IOException {
        return service.metrics().lines()
                .filter(line -> line.startsWith("http_server_request_duration_seconds_count{")
                        && line.contains("http_response_status_code=\"431\"")
                        && line.contains("http_route=\"unmatched\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
    }

    private static String text(Frame data) {
        return StandardCharsets.UTF_8.decode(data.payload().duplicate()).toString();
    }

    /// The connection may end, but the service goes on.
    @ParameterizedTest
    @ValueSource(ints = {60_000, 1_000_000})
    void survivesEndlessHeaderBlock(int length) throws IOException {
        try (RawHttp2Client client = connect(); RawHttp2Client other = connect()) {
            sendUntilClosed(client, List.of(RawHttp2Client.head(1, true, and(LIVEZ, "x", "y".repeat(length)))));
            assertNotAnswered(client);
            other.request(1, true, LIVEZ);
            assertThat(other.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
        }
    }

    /// Neither empty frames nor small ones without end.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    void survivesFloodOfContinuation(int length) throws IOException {
        byte[] field = RawHttp2Client.block("x", "y".repeat(length));
        byte[] part = length == 0 ? new byte[0] : field;
        try (RawHttp2Client client = connect(); RawHttp2Client other = connect()) {
            sendUntilClosed(client, Stream.concat(
                    Stream.of(RawHttp2Client.frame(RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 1,
                            RawHttp2Client.block(LIVEZ))),
                    IntStream.range(0, 20_000)
                            .mapToObj(_ -> RawHttp2Client.frame(RawHttp2Client.CONTINUATION, 0, 1, part)))
                    .toList());
            assertNotAnswered(client);
            other.request(1, true, LIVEZ);
            assertThat(other.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(200);
        }
    }

    private static void sendUntilClosed(RawHttp2Client client, List<byte[]> frames) {
        try {
            client.send(frames);
        } catch (IOException e) {
            // The server has closed the connection.
        }
    }

    private static void assertNotAnswered(RawHttp2Client client) throws IOException {
        Optional<Frame> end = client.await(RawHttp2Client.HEADERS, RawHttp2Client.GOAWAY);
        assertThat(end.map(Frame::type)).isNotEqualTo(Optional.of(RawHttp2Client.HEADERS));
    }

    @Test
    void acceptsTrailers() throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, false, POST).send(RawHttp2Client.DATA, 0, 1, PET.getBytes(StandardCharsets.US_ASCII))
                    .request(1, true, "x-checksum", "1");
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM).orElseThrow().status())
                    .isEqualTo(201);
        }
    }

    /// `:authority` and `Host` may differ in case and by the default port of `:scheme`.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            400 | GET https /livez x y
            400 | GET https livez :authority x
            400 | GET https * :authority x
            204 | OPTIONS https * :authority x
            400 | GET https /livez :authority [1:2:3]
            400 | GET https /livez host [1:2:3]
            400 | GET https /livez :authority a host b
            400 | GET https /livez :authority a host a:80
            400 | GET https /livez :authority a:443 host a:444
            400 | GET https /livez :authority a host a:b
            400 | GET https /livez :authority a host a host a
            400 | GET https /livez?\u00E4 :authority x
            200 | GET https /livez host x
            200 | GET https /livez :authority Shop.example host sHOP.EXAMPLE
            200 | GET https /livez :authority shop.example host SHOP.example:443
            200 | GET https /livez :authority shop.example:0443 host shop.example:
            200 | GET https /livez :authority [::A]:443 host [::a]
            200 | GET https /livez :authority shop.example:8443 host SHOP.EXAMPLE:8443
            200 | GET http /livez :authority [v1.A]:80 host [v1.a]
            """)
    void checksTargetAndHostAsHttp1(int status, String head) throws IOException {
        String[] parts = head.split(" ", 4);
        try (RawHttp2Client client = connect()) {
            client.request(1, true, and(new String[]{":method", parts[0], ":scheme", parts[1], ":path", parts[2]},
                    parts[3].split(" ", -1)));
            assertThat(client.await(RawHttp2Client.HEADERS, RawHttp2Client.RST_STREAM).orElseThrow().status())
                    .isEqualTo(status);
        }
    }

    @Test
    void refusesLongTarget() throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, true, new Malformed("", LIVEZ).with(":path", "/" + "x".repeat(5_000)).fields());
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(414);
        }
    }

    /// The connection stays open, unlike with HTTP/1.1.
    @Test
    void checksExpectations() throws IOException {
        try (RawHttp2Client client = connect()) {
            for (int stream = 1; stream <= 3; stream += 2) {
                client.request(stream, false, and(POST, "expect", "100-continue, 200-ok"));
                assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(417);
            }
            client.request(5, false, and(POST, "expect", "100-Continue,"));
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(100);
            client.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, 5, PET.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.await(RawHttp2Client.HEADERS).orElseThrow().status()).isEqualTo(201);
        }
    }

    @Test
    void resetsOnlyStreamsWithInvalidFrames() throws IOException {
        byte[] none = {0, 0, 0, 0};
        byte[] most = {127, -1, -1, -1};
        try (RawHttp2Client client = connect()) {
            client.request(1, false, POST).request(3, false, POST).send(RawHttp2Client.WINDOW_UPDATE, 0, 3, none);
            assertReset(client, 3);
            client.request(5, false, POST).send(RawHttp2Client.WINDOW_UPDATE, 0, 5, most);
            assertReset(client, 5, Http2Error.FLOW_CONTROL_ERROR);
            client.request(7, false, POST).send(RawHttp2Client.PRIORITY_FRAME, 0, 7, none);
            assertReset(client, 7, Http2Error.FRAME_SIZE_ERROR);
            assertStillServed(client, 1, 9);
        }
    }

    @Test
    void closesConnectionThatResetsManyRequests() throws IOException {
        try (RawHttp2Client client = connect()) {
            for (int stream = 1; stream < 4_000; stream += 2) {
                sendUntilClosed(client, List.of(RawHttp2Client.head(stream, false, POST),
                        RawHttp2Client.frame(RawHttp2Client.RST_STREAM, 0, stream, new byte[]{0, 0, 0, 8})));
            }
            assertThat(client.await(RawHttp2Client.DATA)).as("connection is closed").isEmpty();
        }
    }

    /// A client could fill the log, because it may send any number of invalid frames.
    @Test
    void doesNotLogInvalidFrames() throws IOException {
        try (LogLines log = new LogLines(Logger.ROOT_LOGGER_NAME)) {
            try (RawHttp2Client client = connect()) {
                // The second frame exceeds the content length, and the others follow the reset of the stream.
                client.request(1, false, and(POST, "content-length", "1"))
                        .send(Collections.nCopies(10, RawHttp2Client.frame(RawHttp2Client.DATA, 0, 1, (byte) 'x')));
                assertThat(client.await(RawHttp2Client.RST_STREAM)).isPresent();
            }
            // The server closes the connection after 200 resets, most of which are not sent by then.
            try (RawHttp2Client client = connect()) {
                client.send(IntStream.range(0, 300).mapToObj(i -> RawHttp2Client.head(2 * i + 1, true, "B D", "y"))
                        .toList());
                assertThat(client.await(RawHttp2Client.DATA)).as("connection is closed").isEmpty();
            }
            byte[] frameOfOneByte = {0, 5, 0, 0, 0, 1};
            try (RawHttp2Client client = new RawHttp2Client(service.port()).begin(frameOfOneByte)) {
                assertThat(client.await(RawHttp2Client.GOAWAY).orElseThrow().errorCode()).isEqualTo(1);
                assertThat(client.await(RawHttp2Client.GOAWAY)).as("connection is closed").isEmpty();
            }
            assertThat(log.with("")).isEmpty();
        }
    }

    static final List<Malformed> TRAILERS = List.of(new Malformed("a pseudo-field", ":path", "/livez"),
            new Malformed("a name in upper case", "X", "y"), new Malformed("CR in a value", "x", "y\rz"),
            new Malformed("LF in a value", "x", "y\nz"), new Malformed("NUL in a value", "x", "y\0z"),
            new Malformed("a space after a value", "x", "y "), new Malformed("connection", "connection", "close"));

    @ParameterizedTest
    @FieldSource("TRAILERS")
    void resetsOnlyStreamWithMalformedTrailers(Malformed trailers) throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, false, POST).request(3, false, POST)
                    .send(RawHttp2Client.DATA, 0, 3, PET.getBytes(StandardCharsets.US_ASCII))
                    .request(3, true, trailers.fields());
            assertReset(client, 3);
            assertStillServed(client, 1, 5);
        }
    }

    @Test
    void resetsStreamWithTrailersBeforeItsEnd() throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, false, POST).request(3, false, POST)
                    .send(RawHttp2Client.DATA, 0, 3, PET.getBytes(StandardCharsets.US_ASCII))
                    .request(3, false, "x", "y");
            assertReset(client, 3);
            assertStillServed(client, 1, 5);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void resetsStreamIfBodyHasOtherLength(int difference) throws IOException {
        try (RawHttp2Client client = connect()) {
            client.request(1, false, POST)
                    .request(3, false, and(POST, "content-length", "" + (PET.length() + difference)))
                    .send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, 3, PET.getBytes(StandardCharsets.US_ASCII));
            assertReset(client, 3);
            assertStillServed(client, 1, 5);
        }
    }
}
