package petstore.app;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import petstore.http.RequestLog;

/// Writes an event for people: time, level, logger, message, and the stack trace of a defect.
final class TextLog extends LogEncoder {

    private static final int USUAL_LENGTH = 256;
    private static final int LEVEL_WIDTH = 5;
    private static final Pattern LINE_BREAK = Pattern.compile("\\s*\\R\\s*");
    private static final String BETWEEN_LINES = " | ";

    @Override
    public byte[] encode(ILoggingEvent event) {
        String level = event.getLevel().toString();
        StringBuilder line = new StringBuilder(USUAL_LENGTH).append(time(event.getTimeStamp())).append(' ')
                .append(level)
                .repeat(' ', LEVEL_WIDTH - level.length() + 1)
                .append(logger(event)).append(" - ").append(event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            line.append(' ').append(ThrowableProxyUtil.asString(event.getThrowableProxy()).strip());
        }
        return oneLine(line.append('\n').toString()).getBytes(StandardCharsets.UTF_8);
    }

    /// Concatenated at once, which takes less than to append its parts: a busy service writes nothing as often.
    @Override
    byte[] encode(RequestLog.Entry entry) {
        String line = time(System.currentTimeMillis()) + " INFO  " + ACCESS + " - " + entry.outcome() + " request="
                + entry.request() + " key=" + entry.key() + " method=" + entry.method() + " route=" + entry.route()
                + " status=" + (entry.status() == 0 ? "-" : entry.status()) + " bytes=" + entry.bytes() + " trace="
                + entry.trace() + " duration_us=" + entry.durationMicros() + "\n";
        return oneLine(line).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    byte[] encode(String logger, String message) {
        return oneLine(time(System.currentTimeMillis()) + " INFO  " + logger + " - " + message + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /// The same with no end of a line but at its end.
    private static String oneLine(String text) {
        boolean isOne = text.indexOf('\n') == text.length() - 1 && text.indexOf('\r') < 0;
        return isOne ? text : LINE_BREAK.matcher(text.strip()).replaceAll(BETWEEN_LINES) + '\n';
    }
}
