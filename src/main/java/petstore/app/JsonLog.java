package petstore.app;

import java.util.LinkedHashMap;
import java.util.Map;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import org.slf4j.event.KeyValuePair;
import petstore.json.LogJson;

/// Writes an event for programs, as one JSON object: `time`, `level`, `logger`, `message`, what the event says by name, and
/// `error` for the stack trace of a defect.
final class JsonLog extends LogEncoder {

    @Override
    public byte[] encode(ILoggingEvent event) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("time", time(event));
        members.put("level", event.getLevel().toString());
        members.put("logger", logger(event));
        members.put("message", String.valueOf(event.getFormattedMessage()));
        for (KeyValuePair pair : pairs(event)) {
            members.put(pair.key, pair.value);
        }
        if (event.getThrowableProxy() != null) {
            members.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return LogJson.line(members);
    }
}
