package petstore.http.telemetry;

import java.time.Duration;
import java.util.Optional;

import io.opentelemetry.api.trace.SpanContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.TestHeaders;

import static org.assertj.core.api.Assertions.assertThat;

class RequestSpansTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final int TIMES = 50;

    private static Optional<SpanContext> parent(String state) {
        return RequestSpans.parent(new TestHeaders().add("traceparent", PARENT).add("tracestate", state));
    }

    @Test
    void keepsTraceState() {
        assertThat(parent("a=b c, d=e").orElseThrow().getTraceState().asMap()).containsEntry("a", "b c")
                .containsEntry("d", "e");
    }

    /// The library finds the commas of a trace state with a regular expression that takes quadratic time for blanks.
    @ParameterizedTest
    @ValueSource(strings = {" ", "\t", " \t", ",", " ,", "a=b,", "a"})
    void parsesLongTraceStatesQuickly(String part) {
        long began = System.nanoTime();
        for (int i = 0; i < TIMES; i++) {
            assertThat(parent('a' + part.repeat(8_000 / part.length()) + 'a').orElseThrow().getTraceId())
                    .isEqualTo(PARENT.substring(3, 35));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
    }
}
