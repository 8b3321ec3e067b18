package petstore.http.telemetry;

import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.http.message.KeyScanner;
import petstore.testkit.TestHeaders;
import petstore.testkit.WorstText;

/// Linear time for trace contexts.
class WorstTextTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @TestFactory
    Stream<DynamicTest> readsFields() {
        RequestSpans spans = new RequestSpans(Optional.empty(), new KeyScanner(Optional.of("a-configured-key")));
        return Stream.concat(
                WorstText.FIELD.tests("traceparent", text -> spans.parent(new TestHeaders().add("traceparent", text)),
                        "", PARENT + "-"),
                WorstText.FIELD.tests("tracestate",
                        text -> spans.parent(new TestHeaders().add("traceparent", PARENT).add("tracestate", text)), "",
                        "a="));
    }
}
