package petstore.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class WriteWatchTest {

    private final AtomicInteger trials = new AtomicInteger();

    /// The system may allow no thread, and Java throws an error then.
    @Test
    void triesAgainAfterErrorOfTrial() {
        try (WriteWatch watch = new WriteWatch(() -> {
            trials.incrementAndGet();
            throw new OutOfMemoryError("no thread");
        })) {
            watch.failed("the disk is read-only");
            await().atMost(Duration.ofSeconds(10)).until(() -> trials.get() == 2);
            assertThatThrownBy(watch::requireSuccess).isInstanceOf(Failure.class);
            watch.succeeded();
            watch.requireSuccess();
        }
    }
}
