package petstore.store.postgres;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// No test can suspend its machine, so the lead of the uptime is given.
class SuspensionsTest {

    private final AtomicLong leadMs = new AtomicLong(-5_000);
    private final Suspensions suspensions = new Suspensions(leadMs::get);

    @Test
    void noticesTimeThatOnlyUptimeCounts() {
        assertThat(suspensions.next()).isFalse();
        leadMs.addAndGet(300);
        assertThat(suspensions.next()).isTrue();
        assertThat(suspensions.next()).as("only once").isFalse();
    }

    /// The thread that looks at the clocks waited for a processor between both.
    @Test
    void pauseOfThreadIsNoSuspension() {
        leadMs.addAndGet(-900);
        assertThat(suspensions.next()).isFalse();
        leadMs.addAndGet(900);
        assertThat(suspensions.next()).isFalse();
    }

    @Test
    void machineThatRunsIsNotSuspended() {
        assertThat(Suspensions.leadOfUptime()).isNotEqualTo(Long.MIN_VALUE);
        assertThat(new Suspensions(Suspensions::leadOfUptime).next()).isFalse();
    }
}
