package petstore.app;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import org.slf4j.event.KeyValuePair;
import petstore.json.LogJson;

/// Writes an event as one JSON object a line: `time`, `level`, `logger`, `message`, what the event says by name, and `error` for
/// the stack trace of a defect.
final class JsonLog extends EncoderBase<ILoggingEvent> {

    private static final byte[] NOTHING = {};

    @Override
    public byte[] encode(ILoggingEvent event) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("time", event.getInstant().toString());
        members.put("level", event.getLevel().toString());
        members.put("logger", shortName(event.getLoggerName()));
        members.put("message", String.valueOf(event.getFormattedMessage()));
        for (KeyValuePair pair : pairs(event)) {
            members.put(pair.key, pair.value);
        }
        if (event.getThrowableProxy() != null) {
            members.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return LogJson.line(members);
    }

    private static List<KeyValuePair> pairs(ILoggingEvent event) {
        return event.getKeyValuePairs() == null ? List.of() : event.getKeyValuePairs();
    }

    private static String shortName(String logger) {
        return logger.substring(logger.lastIndexOf('.') + 1);
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
