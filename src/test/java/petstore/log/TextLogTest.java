package petstore.log;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import petstore.KeyToken;
import petstore.http.telemetry.RequestLog;
import petstore.json.Utf8Builder;

import static org.assertj.core.api.Assertions.assertThat;

class TextLogTest {

    private static final Instant MOMENT = Instant.parse("2027-01-31T12:00:00.007Z");

    private final Utf8Builder line = new Utf8Builder(0);

    @Test
    void everyEventIsOneLine() {
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("petstore.store.sqlite.Sqlite"),
                Level.ERROR,
                "The disk\r\n\r\n  failed", new IllegalStateException("once\nand again"), null);
        String line = new String(new TextLog().encode(event), StandardCharsets.UTF_8);
        assertThat(line.lines()).hasSize(1);
        assertThat(line).endsWith("\n").contains(" ERROR Sqlite - The disk | failed ",
                "IllegalStateException: once | and again", " | at petstore.log.TextLogTest.everyEventIsOneLine(");
    }

    @Test
    void everyRequestIsOneLine() {
        new TextLog().append(new RequestLog.Entry(MOMENT.toEpochMilli(), "answered", "a", "-", "_OTHER", "/v1/pets",
                200, 2, "-", 5), line);
        assertThat(line)
                .hasToString("2027-01-31T12:00:00.007Z INFO  access - answered request=a key=- method=_OTHER"
                        + " route=/v1/pets status=200 bytes=2 trace=- duration_us=5\n");
    }

    @Test
    void everyRefusalIsOneLine() {
        new TextLog().append(new RequestLog.Refusal(MOMENT.toEpochMilli(), 401, "GET", "unmatched", "-", "::1", "a"),
                line);
        assertThat(line)
                .hasToString("2027-01-31T12:00:00.007Z INFO  audit - refused 401 GET unmatched key=- from=::1"
                        + " request=a\n");
    }

    @Test
    void everyMessageIsOneLine() {
        new TextLog().append(MOMENT.toEpochMilli(), Level.WARN, "audit", "vé\n2030-12-05 audit - forged", line);
        assertThat(line)
                .hasToString("2027-01-31T12:00:00.007Z WARN  audit - vé | 2030-12-05 audit - forged\n");
    }

    /// One of its characters for each kind of those that are not printable, and a key.
    @Test
    void everyLineIsPrintableAndHasNoKey() {
        KeyToken key = KeyToken.random(new SecureRandom());
        String odd = "\u001b[31m\u0007\u0085\u202e\u2066\u2028\ue000\u0378\ud800" + key.text();
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("x"), Level.ERROR, odd,
                new IllegalStateException(odd, new IllegalArgumentException(odd)), null);
        for (LogEncoder log : List.of(new TextLog(), new JsonLog())) {
            String said = new String(log.encode(event), StandardCharsets.UTF_8);
            Utf8Builder lines = new Utf8Builder(0);
            log.append(MOMENT.toEpochMilli(), Level.WARN, "audit", odd, lines);
            for (String text : List.of(said, lines.toString())) {
                assertThat(text).endsWith("\n").contains("[31m", "u202e", "[API key]").doesNotContain(key.secret());
                assertThat(text.codePoints().filter(c -> c != '\n' && (c < ' ' || c > '~'))).isEmpty();
            }
        }
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
