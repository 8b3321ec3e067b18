package petstore.http.server;

import java.util.stream.Stream;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for heads of HTTP/1.1.
class WorstTextTest {

    private static void check(String target, String name, String value) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, target);
        request.headers().set("Host", "localhost").set(name, value);
        EmbeddedChannel channel = new EmbeddedChannel(new HeadCheck());
        channel.writeInbound(request);
        channel.releaseInbound();
    }

    @TestFactory
    Stream<DynamicTest> readsFields() {
        return Stream.of("Host", "Connection", "Transfer-Encoding", "Expect")
                .flatMap(name -> WorstText.FIELD.tests(name, text -> check("/", name, text), "", "close,"));
    }

    @TestFactory
    Stream<DynamicTest> readsTargets() {
        return WorstText.TARGET.tests("target", text -> check(text, "a", "b"), "", "/", "http://", "http://a/",
                "http://[");
    }
}
