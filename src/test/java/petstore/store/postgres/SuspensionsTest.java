package petstore.store.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// No test can suspend its machine, so the clocks are given.
class SuspensionsTest {

    private final AtomicLong uptimeMs = new AtomicLong(5_000);
    private final AtomicLong nanoTime = new AtomicLong(-7);
    private final Suspensions suspensions = new Suspensions(uptimeMs::get, nanoTime::get);

    @Test
    void noticesTimeThatOnlyUptimeCounts() {
        pass(100, 100);
        assertThat(suspensions.next()).isZero();
        pass(60_100, 100);
        assertThat(suspensions.next()).isBetween(Duration.ofMillis(59_999), Duration.ofMillis(60_001));
        pass(100, 100);
        assertThat(suspensions.next()).as("only once").isZero();
    }

    /// The thread that looks at the clocks waited for a processor, also between both.
    @Test
    void pauseOfProcessIsNoSuspension() {
        pass(5_000, 5_000);
        assertThat(suspensions.next()).isZero();
        pass(0, 900);
        assertThat(suspensions.next()).isZero();
        pass(900, 0);
        assertThat(suspensions.next()).isZero();
    }

    @Test
    void machineThatRunsIsNotSuspended() {
        Suspensions real = Suspensions.ofMachine();
        assertThat(real.next()).isZero();
    }

    private void pass(long uptime, long running) {
        uptimeMs.addAndGet(uptime);
        nanoTime.addAndGet(running * 1_000_000);
    }
}
