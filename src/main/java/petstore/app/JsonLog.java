package petstore.app;

import java.util.LinkedHashMap;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import petstore.http.RequestLog;
import petstore.json.LogJson;

/// Writes an event for programs, as one JSON object: `time`, `level`, `logger`, `message`, what became of a request, and `error` for
/// the stack trace of a defect.
final class JsonLog extends LogEncoder {

    @Override
    public byte[] encode(ILoggingEvent event) {
        Map<String, Object> members = members(event.getTimeStamp(), event.getLevel(), logger(event),
                String.valueOf(event.getFormattedMessage()));
        if (event.getThrowableProxy() != null) {
            members.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return LogJson.line(members);
    }

    @Override
    byte[] encode(RequestLog.Entry entry) {
        Map<String, Object> members = members(System.currentTimeMillis(), Level.INFO, ACCESS, entry.outcome());
        members.put("request", entry.request());
        members.put("key", entry.key());
        members.put("method", entry.method());
        members.put("route", entry.route());
        members.put("status", entry.status() == 0 ? "-" : entry.status());
        members.put("bytes", entry.bytes());
        members.put("trace", entry.trace());
        members.put("duration_us", entry.durationMicros());
        return LogJson.line(members);
    }

    @Override
    byte[] encode(String logger, String message) {
        return LogJson.line(members(System.currentTimeMillis(), Level.INFO, logger, message));
    }

    /// What every line begins with.
    private Map<String, Object> members(long epochMilli, Level level, String logger, String message) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("time", time(epochMilli));
        members.put("level", level.toString());
        members.put("logger", logger);
        members.put("message", message);
        return members;
    }
}
