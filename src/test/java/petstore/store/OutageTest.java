package petstore.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petstore.testkit.LogLines;

import static org.assertj.core.api.Assertions.assertThat;

class OutageTest {

    private static final String LOGGER = OutageTest.class.getName();

    private final LogLines log = new LogLines(LOGGER);
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1);
    private final Outage outage = new Outage(LoggerFactory.getLogger(LOGGER), Level.WARN, "keys cannot be read",
            "keys can be read again", nowNs::get);

    @AfterEach
    void closeLog() {
        log.close();
    }

    private void failEverySecond(int seconds, String reason) {
        for (int i = 0; i < seconds; i++) {
            outage.failed(reason);
            nowNs.addAndGet(Duration.ofSeconds(1).toNanos());
        }
    }

    @Test
    void logsBeginEveryThirtySecondsAndEndWithDuration() {
        outage.succeeded();
        failEverySecond(30, "a: refused");
        assertThat(log.with("")).containsExactly("keys cannot be read: a: refused");
        failEverySecond(31, "a: silent");
        nowNs.addAndGet(Duration.ofMillis(250).toNanos());
        outage.succeeded();
        outage.succeeded();
        failEverySecond(1, "b");
        outage.succeeded();
        assertThat(log.with("")).containsExactly("keys cannot be read: a: refused",
                "keys cannot be read for 30.0 s: a: silent", "keys cannot be read for 60.0 s: a: silent",
                "keys can be read again after 61.3 s", "keys cannot be read: b", "keys can be read again after 1.0 s");
    }
}
