package petstore.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
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

    /// The SDK's own errors do not always name the variable, and may have several lines.
    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            OTEL_EXPORTER_OTLP_PROTOCOL    | grpc            | rpc
            OTEL_TRACES_EXPORTER           | zipkin          | zipkin
            OTEL_TRACES_SAMPLER            | sometimes       | sometimes
            OTEL_EXPORTER_OTLP_TIMEOUT     | soon            | soon
            OTEL_EXPORTER_OTLP_COMPRESSION | zstd            | gzip
            OTEL_BSP_MAX_QUEUE_SIZE        | 0               | maxQueueSize
            OTEL_PROPAGATORS               | b3              | b3
            OTEL_EXPORTER_OTLP_CERTIFICATE | /nowhere/ca.pem | /nowhere/ca.pem""")
    void repeatsErrorOfSdkAndNamesVariables(String variable, String value, String error) {
        assertThatThrownBy(() -> OpenTelemetrySetup.start(Map.of(ENDPOINT, "http://127.0.0.1:1", variable, value))
                .close()).isInstanceOf(CommandFailure.class).hasMessageStartingWith("traces cannot be sent: ")
                .hasMessageContaining(error).message().hasLineCount(1).contains(variable);
    }

    @ParameterizedTest
    @ValueSource(strings = {"geheim", "api-key=geheim,geheim", "api-key=%zzgeheim", "=geheim"})
    void refusesInvalidHeadersWithoutTheirSecret(String headers) {
        assertThatThrownBy(() -> OpenTelemetrySetup
                .start(Map.of(ENDPOINT, "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS", headers)).close())
                .isInstanceOf(CommandFailure.class).hasNoCause().message()
                .startsWith("traces cannot be sent: OTEL_EXPORTER_OTLP_HEADERS must be key=value")
                .doesNotContain("geheim", "zz");
    }

    /// An empty variable counts as not set.
    @ParameterizedTest
    @CsvSource({"OTEL_EXPORTER_OTLP_ENDPOINT, https://collector.example:4318/otlp", "OTEL_EXPORTER_OTLP_PROTOCOL, ''",
            "OTEL_TRACES_EXPORTER, none", "OTEL_SDK_DISABLED, true", "OTEL_TRACES_SAMPLER_ARG, 0.25",
            "OTEL_EXPORTER_OTLP_HEADERS, 'a=%2C,b=x=y,'"})
    void acceptsSupportedValues(String variable, String value) {
        OpenTelemetrySetup.start(variable.equals(ENDPOINT)
                ? Map.of(ENDPOINT, value)
                : Map.of(ENDPOINT, "http://127.0.0.1:1", variable, value)).close();
    }
}
