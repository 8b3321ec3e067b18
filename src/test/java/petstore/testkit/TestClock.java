package petstore.testkit;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// A clock that changes only when a test sets it.
public final class TestClock extends Clock {

    private volatile Instant now;

    public TestClock(String now) {
        this.now = Instant.parse(now);
    }

    public void set(String instant) {
        now = Instant.parse(instant);
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("the clock has no time zones");
    }
}
