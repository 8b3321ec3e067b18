package petstore.app;

import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for variables of OpenTelemetry.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsVariables() {
        return Stream.of("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_PROPAGATORS",
                "OTEL_BSP_SCHEDULE_DELAY", "OTEL_TRACES_SAMPLER_ARG", "OTEL_BSP_MAX_QUEUE_SIZE").flatMap(
                        name -> WorstText.BULK.tests(name, text -> TracingVariables.check(Map.of(name, text)), "",
                                "https://", "a=b,", "a=", "tracecontext,", "0"));
    }

    /// Their number has no limit.
    @TestFactory
    Stream<DynamicTest> readsLists() {
        return Stream.of("a=b,", "tracecontext,").flatMap(part -> WorstText.BULK.tests(part,
                text -> TracingVariables.check(Map.of("OTEL_PROPAGATORS", part.repeat(text.length() / part.length()),
                        "OTEL_RESOURCE_ATTRIBUTES", part.repeat(text.length() / part.length()))),
                ""));
    }
}
