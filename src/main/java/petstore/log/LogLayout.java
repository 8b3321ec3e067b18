package petstore.log;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import petstore.SafeText;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.RequestLog;

/// Formats events and requests as lines of text or JSON. For any number of threads.
///
/// A line of text has time, level, logger, message, and the fields of a request as `name=value`. In JSON these are members of an
/// object, and `error` has a stack trace.
final class LogLayout extends LayoutBase<ILoggingEvent> {

    private static final int USUAL_LENGTH = 256;
    private static final int LEVEL_WIDTH = 5;
    private static final int SECOND = 1_000;
    private static final DateTimeFormatter TO_THE_SECOND = DateTimeFormatter
            .ofPattern("yyyy-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// A formatted second. A busy service logs many lines in each.
    private record Second(long epochSecond, String text) {
    }

    private final boolean json;
    private volatile Second latest = new Second(Long.MIN_VALUE, "");

    LogLayout(Logging.Format format) {
        json = format == Logging.Format.JSON;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        String trace = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        return line(event.getTimeStamp(), event.getLevel(), logger.substring(logger.lastIndexOf('.') + 1),
                String.valueOf(event.getFormattedMessage()), trace);
    }

    /// @param trace the stack trace; empty for none
    String line(long epochMilli, Level level, String logger, String message, String trace) {
        StringBuilder line = start(epochMilli, level, SafeText.of(logger));
        if (json) {
            quote(SafeText.of(message), line);
            if (!trace.isEmpty()) {
                quote(SafeText.ofTrace(trace), line.append("\",\"error\":\""));
            }
            line.append('"');
        } else {
            line.append(oneLine(trace.isEmpty() ? message : message + " " + trace));
        }
        return end(line).toString();
    }

    /// Returns the line of a finished request. All its fields are validated already; no escaping is needed.
    StringBuilder line(FinishedRequest request, String trace) {
        long ended = request.beganMillis() + TimeUnit.NANOSECONDS.toMillis(request.durationNanos());
        StringBuilder line = start(ended, Level.INFO, "access").append(request.isAnswered() ? "answered" : "abandoned");
        field("request", request.id(), line.append(json ? "\"" : ""));
        field("key", request.key(), line);
        field("method", request.method(), line);
        field("route", request.route(), line);
        if (request.isAnswered()) {
            field("status", request.status(), line);
        } else {
            field("status", "-", line);
        }
        field("bytes", request.bytes(), line);
        field("trace", trace, line);
        field("duration_us", TimeUnit.NANOSECONDS.toMicros(request.durationNanos()), line);
        return end(line);
    }

    /// Returns the line of a refused request. All its fields are validated already; no escaping is needed.
    StringBuilder line(RequestLog.Refusal refusal) {
        StringBuilder line = start(refusal.epochMilli(), Level.INFO, Audit.LOGGER).append("refused ")
                .append(refusal.status()).append(' ').append(refusal.method()).append(' ').append(refusal.route())
                .append(" key=").append(refusal.key()).append(" from=").append(refusal.client())
                .append(" request=").append(refusal.request());
        return end(line.append(json ? "\"" : ""));
    }

    /// Returns a line up to its message, with the opening quote of a JSON string.
    private StringBuilder start(long epochMilli, Level level, String logger) {
        StringBuilder line = new StringBuilder(USUAL_LENGTH).append(json ? "{\"time\":\"" : "");
        appendTime(epochMilli, line);
        if (json) {
            quote(logger, line.append("\",\"level\":\"").append(level).append("\",\"logger\":\""));
            return line.append("\",\"message\":\"");
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

    private void field(String name, String value, StringBuilder line) {
        line.append(json ? ",\"" : " ").append(name).append(json ? "\":\"" : "=").append(value)
                .append(json ? "\"" : "");
    }

    private void field(String name, long value, StringBuilder line) {
        line.append(json ? ",\"" : " ").append(name).append(json ? "\":" : "=").append(value);
    }

    private StringBuilder end(StringBuilder line) {
        return line.append(json ? "}\n" : "\n");
    }

    private static void quote(String text, StringBuilder line) {
        JsonStringEncoder.getInstance().quoteAsString(text, line);
    }

    private static String oneLine(String text) {
        return SafeText.of(text.lines().map(String::strip).filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" | ")));
    }
}
