package petstore.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.CommandFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The standard variables of OpenTelemetry, and collectors that do not respond.
class OpenTelemetrySetupTest {

    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final Duration LONGEST_CLOSE = Duration.ofMillis(1_500);

    /// A dead collector delays the stop by a second at most. Nothing listens on the first port. The system accepts connections to the
    /// second port, and the test does not read them.
    @Test
    void closesQuicklyIfCollectorIsDead() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int port : new int[]{1, silent.getLocalPort()}) {
                OpenTelemetrySetup tracing = OpenTelemetrySetup.start(Map.of(ENDPOINT, "http://127.0.0.1:" + port));
                tracing.tracer().orElseThrow().spanBuilder("request").startSpan().end();
                long beganNs = System.nanoTime();
                tracing.close();
                assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(LONGEST_CLOSE);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', textBlock = """
            OTEL_EXPORTER_OTLP_PROTOCOL        | grpc              | http/protobuf
            OTEL_EXPORTER_OTLP_PROTOCOL        | http/json         | http/protobuf
            OTEL_EXPORTER_OTLP_TRACES_PROTOCOL | grpc              | http/protobuf
            OTEL_TRACES_EXPORTER               | zipkin            | otlp
            OTEL_TRACES_EXPORTER               | console           | otlp
            OTEL_TRACES_EXPORTER               | otlp,logging      | otlp
            OTEL_METRICS_EXPORTER              | otlp              | none
            OTEL_LOGS_EXPORTER                 | otlp              | none
            OTEL_TRACES_SAMPLER                | jaeger_remote     | parentbased_traceidratio
            OTEL_TRACES_SAMPLER                | sometimes         | always_on
            OTEL_TRACES_SAMPLER_ARG            | 2                 | from 0 to 1
            OTEL_TRACES_SAMPLER_ARG            | -0.1              | from 0 to 1
            OTEL_TRACES_SAMPLER_ARG            | NaN               | from 0 to 1
            OTEL_TRACES_SAMPLER_ARG            | half              | from 0 to 1
            OTEL_EXPORTER_OTLP_ENDPOINT        | 127.0.0.1:4318    | http://
            OTEL_EXPORTER_OTLP_ENDPOINT        | ftp://127.0.0.1   | http://
            OTEL_EXPORTER_OTLP_ENDPOINT        | http://           | http://
            OTEL_EXPORTER_OTLP_ENDPOINT        | http://a b        | http://
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT | collector         | http://
            OTEL_EXPORTER_OTLP_TIMEOUT         | soon              | milliseconds
            OTEL_EXPORTER_OTLP_TIMEOUT         | -1                | milliseconds
            OTEL_EXPORTER_OTLP_TRACES_TIMEOUT  | 1y                | milliseconds
            OTEL_EXPORTER_OTLP_COMPRESSION     | zstd              | gzip
            OTEL_EXPORTER_OTLP_TRACES_COMPRESSION | br             | gzip
            OTEL_BSP_SCHEDULE_DELAY            | never             | milliseconds
            OTEL_BSP_EXPORT_TIMEOUT            | -5                | milliseconds
            OTEL_BSP_MAX_QUEUE_SIZE            | 0                 | at least 1
            OTEL_BSP_MAX_EXPORT_BATCH_SIZE     | many              | at least 1
            OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT    | -1                | at least
            OTEL_SDK_DISABLED                  | yes               | true, false
            OTEL_PROPAGATORS                   | b3                | tracecontext
            OTEL_EXPORTER_OTLP_HEADERS         | key               | key=value
            OTEL_RESOURCE_ATTRIBUTES           | key               | key=value
            OTEL_EXPORTER_OTLP_CERTIFICATE     | /nowhere/ca.pem   | /nowhere/ca.pem
            """)
    void refusesUnsupportedValuesAndNamesVariable(String variable, String value, String supported) {
        Map<String, String> environment = variable.startsWith("OTEL_EXPORTER_OTLP") && variable.endsWith("ENDPOINT")
                ? Map.of(variable, value)
                : Map.of(ENDPOINT, "http://127.0.0.1:1", variable, value);
        assertThatThrownBy(() -> OpenTelemetrySetup.start(environment).close()).isInstanceOf(CommandFailure.class)
                .hasMessageContaining(variable).hasMessageContaining(value).hasMessageContaining(supported);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', textBlock = """
            OTEL_EXPORTER_OTLP_PROTOCOL        | http/protobuf
            OTEL_TRACES_EXPORTER               | none
            OTEL_TRACES_EXPORTER               | otlp
            OTEL_TRACES_SAMPLER                | parentbased_traceidratio
            OTEL_TRACES_SAMPLER_ARG            | 0.25
            OTEL_TRACES_SAMPLER_ARG            | 1
            OTEL_EXPORTER_OTLP_ENDPOINT        | https://collector.example:4318/otlp
            OTEL_EXPORTER_OTLP_TIMEOUT         | 500
            OTEL_EXPORTER_OTLP_TIMEOUT         | 2s
            OTEL_EXPORTER_OTLP_COMPRESSION     | gzip
            OTEL_EXPORTER_OTLP_HEADERS         | api-key=1234
            OTEL_BSP_MAX_QUEUE_SIZE            | 4096
            OTEL_SDK_DISABLED                  | true
            OTEL_PROPAGATORS                   | tracecontext,baggage
            OTEL_SERVICE_NAME                  | shop
            OTEL_EXPORTER_OTLP_PROTOCOL        | ""
            """)
    void acceptsSupportedValues(String variable, String value) {
        OpenTelemetrySetup.start(variable.equals(ENDPOINT)
                ? Map.of(ENDPOINT, value)
                : Map.of(ENDPOINT, "http://127.0.0.1:1", variable, value)).close();
    }
}
