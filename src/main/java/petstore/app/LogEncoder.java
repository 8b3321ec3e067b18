package petstore.app;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import petstore.http.RequestLog;
import petstore.json.Utf8Builder;

/// Writes an event, or the end of a request, as one line. Safe for many threads.
abstract class LogEncoder extends EncoderBase<ILoggingEvent> {

    /// What logs the ends of requests.
    static final String ACCESS = "access";

    private static final byte[] NOTHING = {};
    private static final int SECOND = 1_000;
    private static final DateTimeFormatter TO_THE_SECOND = DateTimeFormatter
            .ofPattern("yyyy-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// A millisecond, how its second is written, and how it is: a busy service logs many events in each.
    private record Moment(long epochMilli, String second, String text) {

        static Moment of(long epochMilli) {
            return of(epochMilli, TO_THE_SECOND.format(Instant.ofEpochMilli(epochMilli)));
        }

        private static Moment of(long epochMilli, String second) {
            long millis = Math.floorMod(epochMilli, SECOND);
            return new Moment(epochMilli, second, second + String.valueOf(SECOND + millis).substring(1) + 'Z');
        }

        /// Another one, whose second is not written anew if it is the same.
        Moment to(long other) {
            boolean isSame = Math.floorDiv(other, SECOND) == Math.floorDiv(epochMilli, SECOND);
            return isSame ? of(other, second) : of(other);
        }
    }

    private volatile Moment latest = Moment.of(0);

    /// Appends the line for a request that has come to its end.
    abstract void append(RequestLog.Entry entry, Utf8Builder lines);

    /// Appends the line for something that a logger says, without an event.
    abstract void append(long epochMilli, Level level, String logger, String message, Utf8Builder lines);

    /// A moment to the millisecond, e.g. `2030-12-05T23:59:59.123Z`.
    final String time(long epochMilli) {
        Moment moment = latest;
        if (moment.epochMilli() != epochMilli) {
            moment = moment.to(epochMilli);
            latest = moment;
        }
        return moment.text();
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
