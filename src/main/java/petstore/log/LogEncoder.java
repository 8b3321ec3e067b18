package petstore.log;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import petstore.http.telemetry.RequestLog;
import petstore.json.Utf8Builder;

/// Writes an event, or the end of a request, as one line. Safe for many threads.
abstract class LogEncoder extends EncoderBase<ILoggingEvent> {

    /// What logs the ends of requests.
    static final String ACCESS = "access";

    private static final byte[] NOTHING = {};
    private static final int SECOND = 1_000;
    private static final int USUAL_TIME = "2030-12-05T23:59:59.123Z".length();
    private static final DateTimeFormatter TO_THE_SECOND = DateTimeFormatter
            .ofPattern("yyyy-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// A second and how it is written: a busy service logs many events in each.
    private record Second(long epochSecond, String text) {

        static Second of(long epochSecond) {
            return new Second(epochSecond, TO_THE_SECOND.format(Instant.ofEpochSecond(epochSecond)));
        }
    }

    private volatile Second latest = Second.of(0);

    /// Appends the line for a request that has come to its end.
    abstract void append(RequestLog.Entry entry, Utf8Builder lines);

    /// Appends the line for a request that was refused for its key.
    abstract void append(RequestLog.Refusal refusal, Utf8Builder lines);

    /// Appends the line for something that a logger says, without an event.
    abstract void append(long epochMilli, Level level, String logger, String message, Utf8Builder lines);

    /// Appends a moment to the millisecond, e.g. `2030-12-05T23:59:59.123Z`.
    final Utf8Builder appendTime(long epochMilli, Utf8Builder text) {
        long epochSecond = Math.floorDiv(epochMilli, SECOND);
        Second second = latest;
        if (second.epochSecond() != epochSecond) {
            second = Second.of(epochSecond);
            latest = second;
        }
        int millis = Math.floorMod(epochMilli, SECOND);
        return text.append(second.text()).append(digit(millis / 100)).append(digit(millis / 10 % 10))
                .append(digit(millis % 10)).append('Z');
    }

    private static char digit(int value) {
        return (char) ('0' + value);
    }

    /// The same as text.
    final String time(long epochMilli) {
        return appendTime(epochMilli, new Utf8Builder(USUAL_TIME)).toString();
    }

    /// Appends what a refusal says. All fields are validated already; no escaping is needed.
    static Utf8Builder appendMessage(RequestLog.Refusal refusal, Utf8Builder text) {
        return text.append("refused ").append(refusal.status()).append(' ').append(refusal.method()).append(' ')
                .append(refusal.route()).append(" key=").append(refusal.key()).append(" from=").append(refusal.client())
                .append(" request=").append(refusal.request());
    }

    /// Who logs, without its package.
    static String logger(ILoggingEvent event) {
        String name = event.getLoggerName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    @Override
    public final byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public final byte[] footerBytes() {
        return NOTHING;
    }
}
