package petstore.app;

import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for headers, whose number has no limit.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsHeaders() {
        return Stream.of("a=b,", "a=%25").flatMap(part -> WorstText.BULK.tests(part,
                text -> OpenTelemetrySetup.requireHeaders(
                        Map.of("OTEL_EXPORTER_OTLP_HEADERS", "a=" + part.repeat(text.length() / part.length()))),
                ""));
    }
}
