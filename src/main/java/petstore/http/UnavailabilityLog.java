package petstore.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Failure;
import petstore.http.message.RequestHead;

/// The log of the errors behind responses of status 503. One line a second at most, so that the log does not slow down requests.
public final class UnavailabilityLog {

    private static final Logger LOG = LoggerFactory.getLogger(UnavailabilityLog.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final AtomicLong loggedNs = new AtomicLong(System.nanoTime() - INTERVAL.toNanos());
    private final AtomicLong unlogged = new AtomicLong();

    /// Logs a failure that an error has caused. Others, e.g. a full queue, are in the request log alone.
    void log(RequestHead head, Failure failure) {
        if (failure.unavailability().isEmpty() || failure.getCause() == null) {
            return;
        }
        long last = loggedNs.get();
        long now = System.nanoTime();
        if (now - last < INTERVAL.toNanos() || !loggedNs.compareAndSet(last, now)) {
            unlogged.incrementAndGet();
            return;
        }
        long before = unlogged.getAndSet(0);
        LOG.error("request {} got 503 ({}): {}{}", head.id(), failure.unavailability().get().code(),
                failure.explanation(), before == 0 ? "" : "; " + before + " more since the last such line");
    }
}
