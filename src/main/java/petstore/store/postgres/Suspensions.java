package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/// Notices that the machine was suspended. [System#nanoTime] stands still meanwhile, so a commit seems younger than it is; the uptime of
/// Linux goes on. For one thread.
final class Suspensions {

    /// Both clocks are not read at the same moment.
    private static final long TOLERANCE_MS = 200;

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

    /// Returns true if the machine was suspended since the last call.
    boolean next() {
        long beforeMs = lastMs;
        // The lead seems to fall if the thread waits for a processor between its looks at both clocks.
        lastMs = Math.max(beforeMs, lead.getAsLong());
        return lastMs - beforeMs > TOLERANCE_MS;
    }
}
