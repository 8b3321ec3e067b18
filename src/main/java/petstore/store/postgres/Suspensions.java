package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/// Notices that the machine was suspended. [System#nanoTime] stands still meanwhile, so a commit seems younger than it is; the uptime of
/// Linux goes on. For one thread.
final class Suspensions {

    /// Both clocks are not read at the same moment.
    private static final Duration TOLERANCE = Duration.ofMillis(200);

    private final LongSupplier lead;
    private long lastMs;

    /// @param lead the milliseconds by which the uptime is ahead of `nanoTime`
    Suspensions(LongSupplier lead) {
        this.lead = lead;
        this.lastMs = lead.getAsLong();
    }

    /// Returns the lead of this machine's uptime; the least number if it cannot be read.
    static long leadOfUptime() {
        try {
            double seconds = Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0]);
            return (long) (1_000 * seconds) - System.nanoTime() / 1_000_000;
        } catch (IOException e) {
            return Long.MIN_VALUE;
        }
    }

    /// Returns how long the machine was suspended since the last call; zero if it was not.
    Duration next() {
        long beforeMs = lastMs;
        // It falls if the thread waits for a processor between both clocks.
        lastMs = Math.max(beforeMs, lead.getAsLong());
        Duration suspended = Duration.ofMillis(lastMs - beforeMs);
        return suspended.compareTo(TOLERANCE) > 0 ? suspended : Duration.ZERO;
    }
}
