package petstore.app;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import org.slf4j.event.KeyValuePair;

/// Writes an event as one line. Safe for many threads.
abstract class LogEncoder extends EncoderBase<ILoggingEvent> {

    private static final byte[] NOTHING = {};
    private static final DateTimeFormatter SECOND = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /// One digit more than milliseconds have, so that all of theirs are written.
    private static final long MILLIS = 1_000;

    /// A second, and how it is written: a busy service logs many events in each.
    private record Second(long epochSecond, String text) {
    }

    private volatile Second latest = new Second(0, SECOND.format(Instant.EPOCH));

    /// The time of an event, to the millisecond: `2030-12-05T23:59:59.123Z`.
    final String time(ILoggingEvent event) {
        Instant time = event.getInstant();
        Second second = latest;
        if (second.epochSecond() != time.getEpochSecond()) {
            second = new Second(time.getEpochSecond(), SECOND.format(time));
            latest = second;
        }
        String millis = String.valueOf(MILLIS + TimeUnit.NANOSECONDS.toMillis(time.getNano()));
        return second.text() + '.' + millis.substring(1) + 'Z';
    }

    /// Who logs, without its package.
    static String logger(ILoggingEvent event) {
        String name = event.getLoggerName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /// What the event says by name.
    static List<KeyValuePair> pairs(ILoggingEvent event) {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        return pairs == null ? List.of() : pairs;
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
