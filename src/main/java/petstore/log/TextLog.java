package petstore.log;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import petstore.SafeText;
import petstore.http.telemetry.RequestLog;
import petstore.json.Utf8Builder;

/// Writes an event for people: time, level, logger, message, and the stack trace of a defect.
final class TextLog extends LogEncoder {

    private static final int USUAL_LENGTH = 256;
    private static final int LEVEL_WIDTH = 5;
    private static final String INFO = padded(Level.INFO);
    private static final String BETWEEN_LINES = " | ";

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(USUAL_LENGTH).append(time(event.getTimeStamp())).append(' ')
                .append(padded(event.getLevel())).append(' ').append(logger(event)).append(" - ")
                .append(event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            line.append(' ').append(ThrowableProxyUtil.asString(event.getThrowableProxy()).strip());
        }
        return (oneLine(line.toString()) + '\n').getBytes(StandardCharsets.UTF_8);
    }

    /// All fields are validated already; no escaping is needed.
    @Override
    void append(RequestLog.Entry entry, Utf8Builder lines) {
        appendHead(entry.epochMilli(), INFO, ACCESS, lines).append(entry.outcome()).append(" request=")
                .append(entry.request()).append(" key=").append(entry.key()).append(" method=")
                .append(entry.method())
                .append(" route=").append(entry.route()).append(" status=");
        (entry.status() == 0 ? lines.append('-') : lines.append(entry.status())).append(" bytes=")
                .append(entry.bytes()).append(" trace=").append(entry.trace()).append(" duration_us=")
                .append(entry.durationMicros()).append('\n');
    }

    @Override
    void append(RequestLog.Refusal refusal, Utf8Builder lines) {
        appendMessage(refusal, appendHead(refusal.epochMilli(), INFO, Audit.LOGGER, lines)).append('\n');
    }

    @Override
    void append(long epochMilli, Level level, String logger, String message, Utf8Builder lines) {
        appendHead(epochMilli, padded(level), logger, lines).appendText(oneLine(message)).append('\n');
    }

    private Utf8Builder appendHead(long epochMilli, String level, String logger, Utf8Builder lines) {
        return appendTime(epochMilli, lines).append(' ').append(level).append(' ').append(logger)
                .append(" - ");
    }

    private static String padded(Level level) {
        String name = level.toString();
        return name + " ".repeat(LEVEL_WIDTH - name.length());
    }

    private static String oneLine(String text) {
        boolean isOne = text.indexOf('\n') < 0 && text.indexOf('\r') < 0;
        return SafeText.of(isOne
                ? text
                : text.lines().map(String::strip).filter(line -> !line.isEmpty())
                        .collect(Collectors.joining(BETWEEN_LINES)));
    }
}
