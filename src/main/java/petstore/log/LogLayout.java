package petstore.log;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import org.slf4j.event.KeyValuePair;
import petstore.KeyToken;
import petstore.SafeText;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.RequestLog;

/// Formats events and requests as lines of text or JSON. For any number of threads.
///
/// A line of text has time, level, logger, message, and the fields of a request as `name=value`. In JSON these are members of a flat
/// object, with names of the Elastic Common Schema (ECS). ECS lacks the fields `http.route`, which is OpenTelemetry's name, and
/// `petstore.*`.
final class LogLayout extends LayoutBase<ILoggingEvent> {

    private static final int LEVEL_WIDTH = 5;
    private static final int SECOND = 1_000;
    /// The longest reason of a refusal, in characters: a body may break the contract in many ways.
    private static final int LONGEST_REASON = 300;
    /// The value of a field without a value. JSON leaves such fields out.
    private static final String NONE = "-";
    /// The member with the id of an API key, which ECS has no name for.
    static final String KEY_ID = "petstore.key.id";
    private static final DateTimeFormatter TO_THE_SECOND = DateTimeFormatter
            .ofPattern("yyyy-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// A formatted second. It is reused, because a busy service logs many lines a second.
    private record Second(long epochSecond, String text) {
    }

    private final boolean json;
    /// The line that a thread formats.
    private final ThreadLocal<StringBuilder> lines = ThreadLocal.withInitial(StringBuilder::new);
    private volatile Second latest = new Second(Long.MIN_VALUE, "");

    LogLayout(Logging.Format format) {
        json = format == Logging.Format.JSON;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        String trace = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        List<KeyValuePair> fields = event.getKeyValuePairs();
        return line(event.getTimeStamp(), event.getLevel(), logger.substring(logger.lastIndexOf('.') + 1),
                String.valueOf(event.getFormattedMessage()), trace, fields == null ? List.of() : fields);
    }

    /// @param fields further members in JSON; the message has their values, too
    String line(long epochMilli, Level level, String logger, String message, String trace, List<KeyValuePair> fields) {
        StringBuilder line = start(epochMilli, level, quoted(logger));
        if (!json) {
            return end(line.append(oneLine(trace.isEmpty() ? message : message + " " + trace)));
        }
        line.append(quoted(message)).append('"');
        for (KeyValuePair field : fields) {
            name(field.key, line).append('"').append(quoted(String.valueOf(field.value))).append('"');
        }
        if (!trace.isEmpty()) {
            name("error.stack_trace", line).append('"').append(quoted(trace)).append('"');
        }
        return end(line);
    }

    /// Returns the line of a finished request. All its fields but the reason are validated already; no escaping is needed.
    String line(FinishedRequest request, String trace) {
        long nanos = request.durationNanos();
        long ended = request.beganMillis() + TimeUnit.NANOSECONDS.toMillis(nanos);
        StringBuilder line = start(ended, Level.INFO, "access").append(request.isAnswered() ? "answered" : "abandoned");
        field(" request=", "http.request.id", request.id(), line.append(json ? "\"" : ""));
        field(" key=", KEY_ID, request.key(), line);
        field(" method=", "http.request.method", request.method(), line);
        field(" route=", "http.route", request.route(), line);
        field(" status=", "http.response.status_code", request.isAnswered() ? request.status() : NONE, line);
        field(" bytes=", "http.response.body.bytes", request.bytes(), line);
        field(" trace=", "trace.id", trace, line);
        field(" duration_us=", "event.duration", json ? nanos : TimeUnit.NANOSECONDS.toMicros(nanos), line);
        field(" client=", "client.ip", request.client(), line);
        request.unavailability().ifPresent(cause -> field(" code=", "event.code", cause.code(), line));
        request.reason().ifPresent(reason -> reason(reason, line));
        return end(line);
    }

    /// Returns the line of a request that was refused for its key. As above, only the reason needs escaping.
    String line(RequestLog.RefusedKey refusal) {
        StringBuilder line = start(refusal.epochMilli(), Level.INFO, Audit.LOGGER).append("refused");
        field(" ", "http.response.status_code", refusal.status(), line.append(json ? "\"" : ""));
        field(" ", "http.request.method", refusal.method(), line);
        field(" ", "http.route", refusal.route(), line);
        field(" key=", KEY_ID, refusal.key(), line);
        field(" from=", "client.ip", refusal.client(), line);
        field(" request=", "http.request.id", refusal.request(), line);
        reason(refusal.reason(), line);
        return end(line);
    }

    private void reason(String reason, StringBuilder line) {
        String safe = KeyToken.redacted(reason);
        (json ? name("event.reason", line) : line.append(" reason=")).append('"');
        line.append(quoted(safe.length() > LONGEST_REASON ? safe.substring(0, LONGEST_REASON) + "…" : safe))
                .append('"');
    }

    /// Returns a line up to its message, with the opening quote of a JSON string.
    private StringBuilder start(long epochMilli, Level level, String logger) {
        StringBuilder line = lines.get();
        line.setLength(0);
        line.append(json ? "{\"@timestamp\":\"" : "");
        appendTime(epochMilli, line);
        if (json) {
            line.append("\",\"log.level\":\"").append(level).append("\",\"ecs.version\":\"8.11.0\",\"log.logger\":\"");
            return line.append(logger).append("\",\"message\":\"");
        }
        line.append(' ').append(level).repeat(' ', LEVEL_WIDTH - level.levelStr.length());
        return line.append(' ').append(logger).append(" - ");
    }

    /// Appends a time to the millisecond, e.g. `2030-12-05T23:59:59.123Z`.
    private void appendTime(long epochMilli, StringBuilder line) {
        long epochSecond = Math.floorDiv(epochMilli, SECOND);
        Second second = latest;
        if (second.epochSecond() != epochSecond) {
            second = new Second(epochSecond, TO_THE_SECOND.format(Instant.ofEpochSecond(epochSecond)));
            latest = second;
        }
        int millis = Math.floorMod(epochMilli, SECOND);
        line.append(second.text()).append(millis / 100).append(millis / 10 % 10).append(millis % 10).append('Z');
    }

    /// Appends a field.
    ///
    /// @param text the text before the value, e.g. ` key=`
    /// @param ecs the name of the member in JSON
    /// @param value a text or a number
    private void field(String text, String ecs, Object value, StringBuilder line) {
        if (!json) {
            line.append(text).append(value);
        } else if (value instanceof Number) {
            name(ecs, line).append(value);
        } else if (!value.equals(NONE)) {
            name(ecs, line).append('"').append(value).append('"');
        }
    }

    private static StringBuilder name(String ecs, StringBuilder line) {
        return line.append(",\"").append(ecs).append("\":");
    }

    private String end(StringBuilder line) {
        return line.append(json ? "}\n" : "\n").toString();
    }

    /// Returns the content of a string of JSON: printable characters, without API keys.
    private static String quoted(String text) {
        return SafeText.of(new String(JsonStringEncoder.getInstance().quoteAsString(KeyToken.redacted(text))));
    }

    private static String oneLine(String text) {
        return SafeText.of(text.lines().map(String::strip).filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" | ")));
    }
}
