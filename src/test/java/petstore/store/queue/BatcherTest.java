package petstore.store.queue;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;

/// What becomes of whoever waits for a batch.
class BatcherTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    @Test
    void whoWaitsTooLongIsToldWhetherItMayHaveBeenDone() {
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        try (Batcher<String, Boolean> batches = batches(SHORT, items -> {
            begun.complete(true);
            return Collections.nCopies(items.size(), done.join());
        })) {
            CompletableFuture<Boolean> first = batches.submit("begun");
            begun.join();
            CompletableFuture<Boolean> second = batches.submit("waiting");
            try {
                assertFails(first, "the store takes too long; whether this was done is not known");
                assertFails(second, "too much is waiting; try again later");
            } finally {
                done.complete(true);
            }
        }
    }

    @Test
    void everybodyLearnsWhatTheWorkThrows() {
        try (Batcher<String, Boolean> batches = batches(PATIENCE, _ -> {
            throw Failure.unavailable("the disk is full");
        })) {
            assertFails(batches.submit("first"), "the disk is full");
            assertFails(batches.submit("second"), "the disk is full");
        }
    }

    private static Batcher<String, Boolean> batches(Duration patience, Function<List<String>, List<Boolean>> work) {
        return new Batcher<>("test", 1, patience, work, new SimpleMeterRegistry());
    }

    private static void assertFails(CompletableFuture<Boolean> sent, String message) {
        assertThat(sent).failsWithin(PATIENCE.dividedBy(2)).withThrowableThat().havingCause()
                .isInstanceOfSatisfying(Failure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE))
                .withMessage(message);
    }
}
