package petstore.log;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.util.CachingDateFormatter;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import org.slf4j.event.KeyValuePair;
import petstore.KeyToken;
import petstore.SafeText;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.RequestLog.FinishedRequest;

/// Formats events and requests as lines of text or JSON. For any number of threads.
///
/// A line of text has time, level, logger, message, and the fields of a request as `name=value`. In JSON these are members of a flat
/// object, with names of the Elastic Common Schema (ECS). ECS lacks the fields `http.route`, which is OpenTelemetry's name, and
/// `petstore.*`. Elastic's own encoder would not redact keys.
final class LogLayout extends LayoutBase<ILoggingEvent> {

    private static final int LEVEL_WIDTH = 5;
    /// The longest reason of a refusal, in characters: a body may break the contract in many ways.
    private static final int LONGEST_REASON = 300;
    /// The value of a field without a value. JSON leaves such fields out.
    private static final String NONE = "-";
    /// The member with the id of an API key, which ECS has no name for.
    static final String KEY_ID = "petstore.key.id";

    private final boolean json;
    /// Formats a millisecond once, because a busy service logs many lines in each.
    private final CachingDateFormatter times = new CachingDateFormatter("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
            ZoneOffset.UTC, Locale.ROOT);
    /// The line that a thread formats.
    private final ThreadLocal<StringBuilder> lines = ThreadLocal.withInitial(StringBuilder::new);

    LogLayout(Logging.Format format) {
        json = format == Logging.Format.JSON;
    }

    /// Returns the line of an event. Its key-value pairs are further members in JSON; the message has their values, too.
    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        String message = String.valueOf(event.getFormattedMessage());
        String trace = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        StringBuilder line = start(event.getTimeStamp(), event.getLevel(),
                quoted(logger.substring(logger.lastIndexOf('.') + 1)),
                json ? quoted(message) : oneLine(message + " " + trace));
        if (json) {
            for (KeyValuePair pair : Objects.requireNonNullElse(event.getKeyValuePairs(), List.<KeyValuePair>of())) {
                name(pair.key, line).append('"').append(quoted(String.valueOf(pair.value))).append('"');
            }
            if (!trace.isEmpty()) {
                name("error.stack_trace", line).append('"').append(quoted(trace)).append('"');
            }
        }
        return end(line);
    }

    /// Returns the line of a finished request. All its fields but the reason are validated already; no escaping is needed.
    String line(FinishedRequest request, String trace) {
        long nanos = request.durationNanos();
        boolean isAnswered = request.status() != 0;
        StringBuilder line = start(request.beganMillis() + TimeUnit.NANOSECONDS.toMillis(nanos), Level.INFO, "access",
                isAnswered ? "answered" : "abandoned");
        field(" request=", "http.request.id", request.id(), line);
        field(" key=", KEY_ID, request.key(), line);
        field(" method=", "http.request.method", request.method(), line);
        field(" route=", "http.route", request.route(), line);
        field(" status=", "http.response.status_code", isAnswered ? request.status() : NONE, line);
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
        StringBuilder line = start(refusal.epochMilli(), Level.INFO, Audit.LOGGER, "refused");
        field(" ", "http.response.status_code", refusal.status(), line);
        field(" ", "http.request.method", refusal.method(), line);
        field(" ", "http.route", refusal.route(), line);
        field(" key=", KEY_ID, refusal.key(), line);
        field(" from=", "client.ip", refusal.client(), line);
        field(" request=", "http.request.id", refusal.request(), line);
        reason(refusal.reason(), line);
        return end(line);
    }

    private void reason(String reason, StringBuilder line) {
        (json ? name("event.reason", line) : line.append(" reason=")).append('"');
        line.append(quoted(reason.length() > LONGEST_REASON ? shortened(KeyToken.redacted(reason)) : reason))
                .append('"');
    }

    private static String shortened(String reason) {
        return reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) + "…" : reason;
    }

    /// Returns a line up to its message, which is escaped already.
    private StringBuilder start(long epochMilli, Level level, String logger, String message) {
        StringBuilder line = lines.get();
        line.setLength(0);
        if (json) {
            return line.append("{\"@timestamp\":\"").append(times.format(epochMilli)).append("\",\"log.level\":\"")
                    .append(level).append("\",\"ecs.version\":\"8.11.0\",\"log.logger\":\"").append(logger)
                    .append("\",\"message\":\"").append(message).append('"');
        }
        return line.append(times.format(epochMilli)).append(' ').append(level)
                .repeat(' ', LEVEL_WIDTH - level.levelStr.length()).append(' ').append(logger).append(" - ")
                .append(message);
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
        String safe = KeyToken.redacted(text);
        return isPlain(safe) ? safe : SafeText.of(new String(JsonStringEncoder.getInstance().quoteAsString(safe)));
    }

    /// Returns true if no character needs an escape, as in the reasons of most refusals. A flood of these must stay cheap.
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (unit < ' ' || unit > '~' || unit == '"' || unit == '\\') {
                return false;
            }
        }
        return true;
    }

    private static String oneLine(String text) {
        return SafeText.of(text.lines().map(String::strip).filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" | ")));
    }
}
