package petstore.store;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.event.Level;

/// The log lines of an outage: one when it begins, one every 30 seconds while it lasts, and one when it ends, with its duration. For any
/// thread.
public final class Outage {

    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final Logger log;
    private final Level level;
    private final String failing;
    private final String working;
    private final LongSupplier nanoTime;
    private volatile boolean lasting;
    private long beganNs;
    private long loggedNs;

    /// @param level the level of all lines but the last
    /// @param failing the text before each reason, e.g. `API keys cannot be read`
    /// @param working the text when it ends, e.g. `API keys can be read again`
    public Outage(Logger log, Level level, String failing, String working) {
        this(log, level, failing, working, System::nanoTime);
    }

    Outage(Logger log, Level level, String failing, String working, LongSupplier nanoTime) {
        this.log = log;
        this.level = level;
        this.failing = failing;
        this.working = working;
        this.nanoTime = nanoTime;
    }

    /// Records a failure, which begins the outage or is part of it.
    public synchronized void failed(String reason) {
        long now = nanoTime.getAsLong();
        if (!lasting) {
            lasting = true;
            beganNs = now;
            loggedNs = now;
            log.atLevel(level).log("{}: {}", failing, reason);
        } else if (now - loggedNs >= INTERVAL.toNanos()) {
            loggedNs = now;
            log.atLevel(level).log("{} for {} s: {}", failing, seconds(now), reason);
        }
    }

    /// Records a success, which ends the outage if there is one.
    public void succeeded() {
        if (!lasting) {
            return;
        }
        synchronized (this) {
            if (lasting) {
                log.info("{} after {} s", working, seconds(nanoTime.getAsLong()));
                lasting = false;
            }
        }
    }

    public boolean isLasting() {
        return lasting;
    }

    private String seconds(long now) {
        return String.format(Locale.ROOT, "%.1f", (now - beganNs) / 1e9);
    }
}
