package petstore.http.telemetry;

import java.util.Optional;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;
import petstore.testkit.TestService;
import petstore.testkit.WorstText;

/// Linear time for trace contexts and ids.
class WorstTextTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @TestFactory
    Stream<DynamicTest> readsFields() {
        KeyScanner keys = new KeyScanner(Optional.of("a-configured-key"));
        RequestSpans spans = new RequestSpans(Optional.empty(), keys);
        Telemetry telemetry = new Telemetry(new SimpleMeterRegistry(), Optional.empty(), TestService.SILENT, keys);
        return Stream.of(
                WorstText.FIELD.tests("X-Request-Id", telemetry::requestId, ""),
                WorstText.FIELD.tests("traceparent",
                        text -> spans.parent(new HeaderFields(_ -> true).add("traceparent", text)),
                        "", PARENT + "-"),
                WorstText.FIELD.tests("tracestate",
                        text -> spans
                                .parent(new HeaderFields(_ -> true).add("traceparent", PARENT).add("tracestate", text)),
                        "",
                        "a="))
                .flatMap(tests -> tests);
    }
}
