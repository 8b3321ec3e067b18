package petstore.http.server.codec;

import java.util.stream.Stream;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for heads.
class WorstTextTest {

    private static void check(String target, String name, String value) {
        HttpRequest request;
        try {
            request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, target,
                    DefaultHttpHeadersFactory.headersFactory().withValidation(false));
        } catch (IllegalArgumentException e) {
            // Netty's decoder refuses this target.
            return;
        }
        request.headers().set("Host", "localhost").set(name, value);
        EmbeddedChannel channel = new EmbeddedChannel(new HeadCheck(_ -> true));
        channel.writeInbound(request);
        channel.releaseInbound();
    }

    private static void checkStream(String target, String name, String value) {
        EmbeddedChannel channel = new EmbeddedChannel(new StreamHeadCheck(_ -> true));
        channel.writeInbound(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers(false).method("GET").scheme("https")
                .authority("localhost").path(target).add(name, value)));
        channel.releaseInbound();
    }

    @TestFactory
    Stream<DynamicTest> readsFields() {
        return Stream.of("Host", "Connection", "Transfer-Encoding", "Expect")
                .flatMap(name -> WorstText.FIELD.tests(name, text -> check("/", name, text), "", "close,"));
    }

    @TestFactory
    Stream<DynamicTest> readsFieldsOfStreams() {
        return Stream.of("host", "expect", "accept")
                .flatMap(name -> WorstText.FIELD.tests(name, text -> checkStream("/", name, text), "", "localhost"));
    }

    @TestFactory
    Stream<DynamicTest> readsTargets() {
        return WorstText.TARGET.tests("target", text -> check(text, "a", "b"), "", "/", "http://", "http://a/",
                "http://[");
    }
}
