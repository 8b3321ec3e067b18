package petstore.app;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import petstore.http.RequestLog;

import static org.assertj.core.api.Assertions.assertThat;

class TextLogTest {

    @Test
    void everyEventIsOneLine() {
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("petstore.sql.Sqlite"), Level.ERROR,
                "The disk\r\n\r\n  failed", new IllegalStateException("once\nand again"), null);
        String line = new String(new TextLog().encode(event), StandardCharsets.UTF_8);
        assertThat(line.lines()).hasSize(1);
        assertThat(line).endsWith("\n").contains(" ERROR Sqlite - The disk | failed ",
                "IllegalStateException: once | and again", " | at petstore.app.TextLogTest.everyEventIsOneLine(");
    }

    @Test
    void everyRequestIsOneLine() {
        String line = new String(new TextLog().encode(new RequestLog.Entry("answered", "a", "-",
                "GET\n2030-12-05T23:59:59.123Z INFO  audit - forged", "/v1/pets", 200, 2, "-", 5)),
                StandardCharsets.UTF_8);
        assertThat(line.lines()).hasSize(1);
        assertThat(line).contains(" INFO  access - answered request=a key=- method=GET | 2030-12-05T23:59:59.123Z INFO")
                .endsWith(" - forged route=/v1/pets status=200 bytes=2 trace=- duration_us=5\n");
    }

    @Test
    void everyRefusalIsOneLine() {
        String line = new String(new TextLog().encode("audit", "refused 401 GET /v1\n2030-12-05 audit - forged"),
                StandardCharsets.UTF_8);
        assertThat(line)
                .matches("[0-9-]{10}T[0-9:.]{12}Z INFO  audit - refused 401 GET /v1 \\| 2030-12-05 audit - forged\n");
    }

    @Test
    void eventsHaveTheirOwnTimesToTheMillisecond() {
        TextLog log = new TextLog();
        for (String time : List.of("2030-12-05T23:59:59.007Z", "2030-12-05T23:59:59.008Z", "2030-12-05T23:59:59.008Z",
                "2030-12-06T00:00:00.000Z", "2030-12-05T23:59:59.007Z")) {
            LoggingEvent event = new LoggingEvent();
            event.setTimeStamp(Instant.parse(time).toEpochMilli());
            event.setLevel(Level.INFO);
            event.setLoggerName("audit");
            event.setMessage("answered");
            assertThat(log.encode(event)).asString(StandardCharsets.UTF_8)
                    .isEqualTo(time + " INFO  audit - answered\n");
        }
    }
}
