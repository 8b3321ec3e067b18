package petstore.store.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/// Notices that the machine was suspended. [System#nanoTime] stands still meanwhile, so a commit seems younger than it is; the uptime of
/// Linux goes on. For one thread.
final class Suspensions {

    private static final Path UPTIME = Path.of("/proc/uptime");
    /// Both clocks are not read at the same moment.
    private static final Duration TOLERANCE = Duration.ofMillis(200);

    private final LongSupplier uptimeMs;
    private final LongSupplier nanoTime;
    private long differenceMs;

    /// @param uptimeMs the time since the start of the machine, with suspensions, in milliseconds
    Suspensions(LongSupplier uptimeMs, LongSupplier nanoTime) {
        this.uptimeMs = uptimeMs;
        this.nanoTime = nanoTime;
        this.differenceMs = difference();
    }

    static Suspensions ofMachine() {
        return Files.isReadable(UPTIME)
                ? new Suspensions(Suspensions::uptime, System::nanoTime)
                : new Suspensions(() -> 0, () -> 0);
    }

    private static long uptime() {
        try {
            return (long) (1_000 * Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long difference() {
        return uptimeMs.getAsLong() - nanoTime.getAsLong() / 1_000_000;
    }

    /// Returns how long the machine was suspended since the last call; zero if it was not.
    Duration next() {
        long before = differenceMs;
        // The thread may have waited for a processor between both clocks.
        differenceMs = Math.max(before, difference());
        Duration suspended = Duration.ofMillis(differenceMs - before);
        return suspended.compareTo(TOLERANCE) > 0 ? suspended : Duration.ZERO;
    }
}
