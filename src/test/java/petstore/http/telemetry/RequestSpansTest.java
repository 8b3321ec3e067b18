package petstore.http.telemetry;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.opentelemetry.api.trace.SpanContext;
import org.junit.jupiter.api.Test;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;

import static org.assertj.core.api.Assertions.assertThat;

class RequestSpansTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static Optional<SpanContext> parent(Optional<String> configuredKey, String... states) {
        HeaderFields headers = new HeaderFields(_ -> true).add("traceparent", PARENT);
        List.of(states).forEach(state -> headers.add("tracestate", state));
        return new RequestSpans(Optional.empty(), new KeyScanner(configuredKey)).parent(headers);
    }

    @Test
    void dropsFieldsWithConfiguredKey() {
        assertThat(parent(Optional.of(PARENT.substring(3, 35)), "a=b")).as("the key is the id of the trace").isEmpty();
        String key = "a-key.Of_this+service";
        for (String spelling : List.of(key, key.toUpperCase(Locale.ROOT), "a%2Dkey%2eOf%5fthis%2Bservice",
                "%zz-a%2dkey.Of_this+service%")) {
            assertThat(parent(Optional.of(key), "a=b,c=x" + spelling + "y").orElseThrow().getTraceState().isEmpty())
                    .as(spelling).isTrue();
        }
        assertThat(parent(Optional.of(key), "a=a-key.Of_this+servic").orElseThrow().getTraceState().isEmpty())
                .isFalse();
    }

    @Test
    void keepsTraceStateOfSeveralFields() {
        assertThat(parent(Optional.empty(), "a=b c, d=e", "f=g").orElseThrow().getTraceState().asMap())
                .isEqualTo(Map.of("a", "b c", "d", "e", "f", "g"));
    }
}
