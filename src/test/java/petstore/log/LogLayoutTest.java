package petstore.log;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;
import petstore.Failure;
import petstore.KeyToken;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.RequestLog.FinishedRequest;

import static org.assertj.core.api.Assertions.assertThat;

class LogLayoutTest {

    private static final Instant MOMENT = Instant.parse("2027-01-31T12:00:00.007Z");
    static final FinishedRequest FINISHED = new FinishedRequest("a", "_OTHER", "/v1/pets", false, false, "-",
            MOMENT.toEpochMilli() - 1, 1_005_000, 200, 2, "192.0.2.7", Optional.empty(),
            Optional.empty(), Optional.empty());
    private static final FinishedRequest ABANDONED = new FinishedRequest("b", "GET", "/v1/pets", false, false,
            "4fQ0c8sXbT", MOMENT.toEpochMilli(), 5_000, 0, 0, "-", Optional.empty(),
            Optional.empty(), Optional.of("not complete within --request-timeout"));
    private static final FinishedRequest LIMITED = new FinishedRequest("c", "GET", "/v1/pets", false, false,
            "4fQ0c8sXbT", MOMENT.toEpochMilli(), 5_000, 429, 90, "2001:db8::7",
            Optional.of(Failure.Kind.RATE_LIMITED), Optional.empty(), Optional.of("say \"when\"\n"));
    private static final FinishedRequest UNAVAILABLE = new FinishedRequest("d", "GET", "/v1/pets", false, false,
            "4fQ0c8sXbT", MOMENT.toEpochMilli(), 5_000, 503, 90, "::1", Optional.of(Failure.Kind.UNAVAILABLE),
            Optional.of(Failure.Unavailability.QUEUE_FULL), Optional.of("too many requests are waiting"));
    private static final RequestLog.RefusedKey REFUSAL = new RequestLog.RefusedKey(MOMENT.toEpochMilli(), 401, "GET",
            "unmatched", "-", "::1", "a", "the API key is malformed");
    private static final String BEGINNING = "{\"@timestamp\":\"2027-01-31T12:00:00.007Z\",\"log.level\":\"INFO\","
            + "\"ecs.version\":\"8.11.0\",\"log.logger\":";

    private final LogLayout text = new LogLayout(Logging.Format.TEXT);
    private final LogLayout json = new LogLayout(Logging.Format.JSON);

    @Test
    void writesEventAsOneLine() {
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("petstore.store.sqlite.Sqlite"),
                Level.ERROR, "Thé disk\r\n\r\n  failed", new IllegalStateException("once\nand again"), null);
        event.setTimeStamp(MOMENT.toEpochMilli());
        String line = text.doLayout(event);
        assertThat(line.lines()).hasSize(1);
        assertThat(line).endsWith("\n").contains(" ERROR Sqlite - Thé disk | failed ",
                "IllegalStateException: once | and again", " | at petstore.log.LogLayoutTest.writesEventAsOneLine(");
        assertThat(json.doLayout(event)).startsWith(BEGINNING.replace("INFO", "ERROR")
                + "\"Sqlite\",\"message\":\"Thé disk\\r\\n\\r\\n  failed\","
                + "\"error.stack_trace\":\"java.lang.IllegalStateException: once\\nand again\\n\\tat petstore.")
                .endsWith("\"}\n");
    }

    @Test
    void writesRequestAsOneLine() {
        assertThat(text.line(FINISHED, "-")).hasToString("2027-01-31T12:00:00.007Z INFO  access - answered request=a"
                + " key=- method=_OTHER route=/v1/pets status=200 bytes=2 trace=- duration_us=1005 client=192.0.2.7\n");
        assertThat(json.line(FINISHED, "-")).hasToString(BEGINNING
                + "\"access\",\"message\":\"answered\",\"http.request.id\":\"a\","
                + "\"http.request.method\":\"_OTHER\",\"http.route\":\"/v1/pets\",\"http.response.status_code\":200,"
                + "\"http.response.body.bytes\":2,\"event.duration\":1005000,\"client.ip\":\"192.0.2.7\"}\n");
        assertThat(json.line(FINISHED, "0af7").toString()).contains(",\"trace.id\":\"0af7\",");
    }

    @Test
    void omitsStatusOfAbandonedRequest() {
        assertThat(text.line(ABANDONED, "-").toString()).contains(" access - abandoned request=b key=4fQ0c8sXbT ",
                " status=- bytes=0 ", " reason=\"not complete within --request-timeout\"\n");
        assertThat(json.line(ABANDONED, "-").toString()).contains("\"message\":\"abandoned\"",
                "\"petstore.key.id\":\"4fQ0c8sXbT\"", "\"http.response.body.bytes\":0,")
                .doesNotContain("status_code", "client.ip");
    }

    @Test
    void writesReasonOfRefusedRequest() {
        assertThat(text.line(LIMITED, "-").toString())
                .endsWith(" duration_us=5 client=2001:db8::7 reason=\"say \\\"when\\\"\\n\"\n");
        assertThat(json.line(LIMITED, "-").toString())
                .endsWith(",\"client.ip\":\"2001:db8::7\",\"event.reason\":\"say \\\"when\\\"\\n\"}\n");
        assertThat(text.line(UNAVAILABLE, "-").toString())
                .endsWith(" client=::1 code=queue_full reason=\"too many requests are waiting\"\n");
        assertThat(json.line(UNAVAILABLE, "-").toString()).endsWith(
                ",\"client.ip\":\"::1\",\"event.code\":\"queue_full\",\"event.reason\":\"too many requests are waiting\"}\n");
    }

    @Test
    void truncatesLongReason() {
        RequestLog.RefusedKey refusal = new RequestLog.RefusedKey(0, 401, "GET", "unmatched", "-", "-", "a",
                "x".repeat(1_000));
        assertThat(text.line(refusal).toString()).contains("x".repeat(300) + "…\"").doesNotContain("x".repeat(301));
    }

    @Test
    void writesKeyValuePairsAsJsonMembers() {
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("audit"), Level.INFO, "key create",
                null,
                null);
        event.setTimeStamp(MOMENT.toEpochMilli());
        event.addKeyValuePair(new KeyValuePair("petstore.key.name", "a \"b\""));
        assertThat(json.doLayout(event)).isEqualTo(BEGINNING + "\"audit\",\"message\":\"key create\","
                + "\"petstore.key.name\":\"a \\\"b\\\"\"}\n");
        assertThat(text.doLayout(event)).endsWith(" audit - key create\n");
    }

    @Test
    void writesRefusalAsOneLine() {
        assertThat(text.line(REFUSAL)).hasToString("2027-01-31T12:00:00.007Z INFO  audit - refused 401 GET unmatched"
                + " key=- from=::1 request=a reason=\"the API key is malformed\"\n");
        assertThat(json.line(REFUSAL)).hasToString(BEGINNING
                + "\"audit\",\"message\":\"refused\",\"http.response.status_code\":401,"
                + "\"http.request.method\":\"GET\",\"http.route\":\"unmatched\",\"client.ip\":\"::1\",\"http.request.id\":\"a\","
                + "\"event.reason\":\"the API key is malformed\"}\n");
    }

    /// The text has a character of each kind that is not printable, and a key.
    @Test
    void escapesUnprintableCharactersAndRedactsKeys() {
        KeyToken key = KeyToken.random();
        String unprintable = "\u001b[31m\u0007\u0085\u202e\u2066\u2028\ue000\u0378\ud800" + key.text();
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("x"), Level.ERROR, unprintable,
                new IllegalStateException(unprintable, new IllegalArgumentException(unprintable)), null);
        for (LogLayout layout : List.of(text, json)) {
            String line = layout.doLayout(event);
            assertThat(line).endsWith("\n").contains("[31m", "u202e", "[API key]").doesNotContain(key.secret());
            assertThat(line.codePoints().filter(c -> c != '\n' && (c < ' ' || c > '~'))).isEmpty();
        }
    }

    @Test
    void writesTimeOfEachEventToTheMillisecond() {
        for (String time : List.of("2030-12-05T23:59:59.007Z", "2030-12-05T23:59:59.008Z", "2030-12-05T23:59:59.008Z",
                "2030-12-06T00:00:00.000Z", "2030-12-05T23:59:59.007Z")) {
            LoggingEvent event = new LoggingEvent();
            event.setTimeStamp(Instant.parse(time).toEpochMilli());
            event.setLevel(Level.INFO);
            event.setLoggerName("audit");
            event.setMessage("answered");
            assertThat(text.doLayout(event)).isEqualTo(time + " INFO  audit - answered\n");
        }
    }
}
