package petstore.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;

/// Logs at most one error a second, so that the log does not slow down requests.
final class ThrottledLog {

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Logger log;
    private final AtomicLong loggedNs = new AtomicLong(System.nanoTime() - INTERVAL.toNanos());

    ThrottledLog(Logger log) {
        this.log = log;
    }

    /// Logs an error, unless one was logged less than a second ago.
    ///
    /// @param what `{}` in it stands for the message of `cause`
    void error(String what, Exception cause) {
        long last = loggedNs.get();
        long now = System.nanoTime();
        if (now - last >= INTERVAL.toNanos() && loggedNs.compareAndSet(last, now)) {
            log.error(what, cause.getMessage());
        }
    }
}
