package petstore.http.server.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.message.Header;
import petstore.http.message.Response;

import static org.assertj.core.api.Assertions.assertThat;

class ResponseEncoderTest {

    private static final int SLICE = 16 * 1024;

    private final EmbeddedChannel http1 = new EmbeddedChannel(new ResponseEncoder.OfHttp1());
    private final EmbeddedChannel stream = new EmbeddedChannel(new ResponseEncoder.OfStream());

    @AfterEach
    void close() {
        http1.finishAndReleaseAll();
        stream.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 700, 800, 2_000, SLICE})
    void encodesHeadAndShortBodyInOneBuffer(int length) {
        Response response = response(length);
        http1.writeOutbound(response, response);
        String sent = "HTTP/1.1 201 Created\r\nETag: \"1\"\r\nX-Long: " + "y".repeat(length) + "\r\n\r\n"
                + "x".repeat(length);
        assertThat(sent()).containsExactly(sent, sent);
    }

    @ParameterizedTest
    @ValueSource(ints = {SLICE + 1, 5 * SLICE, 200_000})
    void encodesLongBodyInSlices(int length) {
        http1.writeOutbound(response(length));
        List<String> sent = sent();
        assertThat(sent).hasSize((length + SLICE - 1) / SLICE);
        assertThat(String.join("", sent)).endsWith("\r\n\r\n" + "x".repeat(length));
        assertThat(sent.subList(1, sent.size())).allMatch(slice -> slice.length() <= SLICE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, SLICE, SLICE + 1, 200_000})
    void encodesFrames(int length) {
        stream.writeOutbound(response(length));
        Http2HeadersFrame head = stream.readOutbound();
        assertThat(head.headers().status()).hasToString("201");
        assertThat(head.headers().get("etag")).hasToString("\"1\"");
        assertThat(head.isEndStream()).isEqualTo(length == 0);
        StringBuilder body = new StringBuilder();
        for (boolean ended = length == 0; !ended;) {
            Http2DataFrame data = stream.readOutbound();
            body.append(data.content().toString(StandardCharsets.US_ASCII));
            ended = data.isEndStream();
            ReferenceCountUtil.release(data);
        }
        assertThat(body).hasToString("x".repeat(length));
        assertThat(stream.outboundMessages()).isEmpty();
    }

    private static Response response(int length) {
        return new Response(201, List.of(Header.of("ETag", "\"1\""), Header.of("X-Long", "y".repeat(length))),
                "x".repeat(length).getBytes(StandardCharsets.US_ASCII), Optional.empty());
    }

    /// Returns the encoded bytes, a string for each buffer.
    private List<String> sent() {
        List<String> sent = new ArrayList<>();
        for (ByteBuf out = http1.readOutbound(); out != null; out = http1.readOutbound()) {
            sent.add(out.toString(StandardCharsets.US_ASCII));
            out.release();
        }
        return sent;
    }
}
