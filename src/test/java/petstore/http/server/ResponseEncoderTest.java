package petstore.http.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.impl.headers.Http1xHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ResponseEncoderTest {

    private final EmbeddedChannel channel = new EmbeddedChannel(new ResponseEncoder());

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 128, 129, 2_000, 20_000, 200_000})
    void encodesHeadAndBodyInOneBuffer(int length) {
        String body = "x".repeat(length);
        ByteBuf kept = Unpooled.copiedBuffer(body, StandardCharsets.US_ASCII);
        for (HttpHeaders headers : List.of(Http1xHeaders.httpHeaders(), new DefaultHttpHeaders())) {
            headers.add("ETag", "\"1\"").add("Content-Length", String.valueOf(length));
            var _ = channel.writeOneOutbound(response(kept.retainedDuplicate(), headers));
        }
        channel.flushOutbound();
        String sent = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: " + length + "\r\n\r\n" + body;
        assertThat(sent()).containsExactly(sent, sent);
        assertThat(kept.toString(StandardCharsets.US_ASCII)).as("the cached body").isEqualTo(body);
        assertThat(kept.refCnt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {700, 800, 5_000})
    void encodesLongHead(int length) {
        HttpHeaders headers = Http1xHeaders.httpHeaders().add("Content-Length", "2000");
        headers.add("X-Long", "y".repeat(length));
        var _ = channel.writeOneOutbound(
                response(Unpooled.copiedBuffer("x".repeat(2_000), StandardCharsets.US_ASCII), headers));
        channel.flushOutbound();
        assertThat(String.join("", sent())).endsWith("y".repeat(length) + "\r\n\r\n" + "x".repeat(2_000));
    }

    private static FullHttpResponse response(ByteBuf body, HttpHeaders headers) {
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body, headers,
                new DefaultHttpHeaders());
    }

    /// Returns the encoded bytes, a string for each buffer.
    private List<String> sent() {
        List<String> sent = new ArrayList<>();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            sent.add(out.toString(StandardCharsets.US_ASCII));
            out.release();
        }
        return sent;
    }
}
