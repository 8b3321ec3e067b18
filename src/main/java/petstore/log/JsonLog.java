package petstore.log;

import java.util.LinkedHashMap;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import petstore.SafeText;
import petstore.http.telemetry.RequestLog;
import petstore.json.Utf8Builder;

/// Writes an event for programs, as one JSON object: `time`, `level`, `logger`, `message`, what became of a request, and `error` for
/// the stack trace of a defect.
final class JsonLog extends LogEncoder {

    private static final int USUAL_LENGTH = 128;

    @Override
    public byte[] encode(ILoggingEvent event) {
        Map<String, Object> members = members(event.getTimeStamp(), event.getLevel(), logger(event),
                String.valueOf(event.getFormattedMessage()));
        if (event.getThrowableProxy() != null) {
            members.put("error", SafeText.ofTrace(ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
        return LogJson.line(members);
    }

    @Override
    void append(RequestLog.Entry entry, Utf8Builder lines) {
        Map<String, Object> members = members(entry.epochMilli(), Level.INFO, ACCESS, entry.outcome());
        members.put("request", entry.request());
        members.put("key", entry.key());
        members.put("method", entry.method());
        members.put("route", entry.route());
        members.put("status", entry.status() == 0 ? "-" : entry.status());
        members.put("bytes", entry.bytes());
        members.put("trace", entry.trace());
        members.put("duration_us", entry.durationMicros());
        append(members, lines);
    }

    @Override
    void append(RequestLog.Refusal refusal, Utf8Builder lines) {
        append(refusal.epochMilli(), Level.INFO, Audit.LOGGER,
                appendMessage(refusal, new Utf8Builder(USUAL_LENGTH)).toString(), lines);
    }

    @Override
    void append(long epochMilli, Level level, String logger, String message, Utf8Builder lines) {
        append(members(epochMilli, level, logger, message), lines);
    }

    private static void append(Map<String, Object> members, Utf8Builder lines) {
        lines.append(LogJson.line(members));
    }

    /// What every line begins with.
    private Map<String, Object> members(long epochMilli, Level level, String logger, String message) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("time", time(epochMilli));
        members.put("level", level.toString());
        members.put("logger", logger);
        members.put("message", SafeText.of(message));
        return members;
    }
}
