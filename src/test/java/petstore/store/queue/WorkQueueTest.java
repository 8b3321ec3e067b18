package petstore.store.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.Failure;
import petstore.Failure.Unavailability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Groups, limits and shutdown of a work queue.
class WorkQueueTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final String OVERLOADED = "too many requests are waiting; try again later";

    static final List<WorkQueue.Limits> LIMITS = List.of(
            WorkQueue.Limits.ofSharedWork(SHORT, Unavailability.OUTCOME_UNKNOWN),
            WorkQueue.Limits.ofReads(1, SHORT));

    private final CompletableFuture<Boolean> started = new CompletableFuture<>();
    private final CompletableFuture<Boolean> finish = new CompletableFuture<>();
    private final List<List<String>> groups = new CopyOnWriteArrayList<>();

    /// Returns a queue whose thread waits for `finish` in every group.
    private WorkQueue<String, String> queue(WorkQueue.Limits limits) {
        return queue(limits, group -> {
            groups.add(group);
            started.complete(true);
            finish.join();
            return group;
        });
    }

    private static WorkQueue<String, String> queue(WorkQueue.Limits limits,
            Function<List<String>, List<String>> work) {
        return new WorkQueue<>("test", limits, List.of(work));
    }

    private CompletableFuture<String> submitAndAwaitStart(WorkQueue<String, String> queue) {
        CompletableFuture<String> first = queue.submit("begun");
        started.join();
        return first;
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void failsLateItemsAndSaysIfOutcomeIsUnknown(WorkQueue.Limits limits) {
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndAwaitStart(queue);
            CompletableFuture<String> second = queue.submit("waiting");
            try {
                assertFails(first, "the store takes too long; " + (limits.overdue() == Unavailability.OUTCOME_UNKNOWN
                        ? "the outcome of this request is unknown"
                        : "try again later"), limits.overdue());
                assertFails(second, OVERLOADED, Unavailability.QUEUE_LATE);
            } finally {
                finish.complete(true);
            }
        }
    }

    /// A caller of a reading has changed nothing.
    @Test
    void failsLateReading() {
        try (SharedReading<Boolean> reading = new SharedReading<>("test", SHORT, finish::join,
                new CompositeMeterRegistry())) {
            CompletableFuture<Boolean> late = reading.next();
            try {
                assertThat(late).failsWithin(PATIENCE).withThrowableThat().havingCause()
                        .isInstanceOfSatisfying(Failure.class,
                                failure -> assertThat(failure.unavailability()).contains(Unavailability.STORE_LATE));
            } finally {
                finish.complete(true);
            }
        }
    }

    @Test
    void groupsWaitingItemsUpToLargestGroup() {
        WorkQueue.Limits limits = new WorkQueue.Limits(10, 3, PATIENCE, PATIENCE, Unavailability.OUTCOME_UNKNOWN, true);
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndAwaitStart(queue);
            List<CompletableFuture<String>> others = IntStream.range(0, 5).mapToObj(i -> queue.submit("item " + i))
                    .toList();
            finish.complete(true);
            assertThat(first).succeedsWithin(PATIENCE).isEqualTo("begun");
            for (int i = 0; i < others.size(); i++) {
                assertThat(others.get(i)).succeedsWithin(PATIENCE).isEqualTo("item " + i);
            }
        }
        assertThat(groups).containsExactly(List.of("begun"), List.of("item 0", "item 1", "item 2"),
                List.of("item 3", "item 4"));
    }

    @Test
    void threadsShareWaitingReads() {
        List<List<String>> readGroups = new CopyOnWriteArrayList<>();
        CompletableFuture<Boolean> release = new CompletableFuture<>();
        Function<List<String>, List<String>> work = group -> {
            readGroups.add(group);
            release.join();
            return group;
        };
        try (WorkQueue<String, String> queue = new WorkQueue<>("test", WorkQueue.Limits.ofReads(3, PATIENCE),
                List.of(work, work))) {
            List<CompletableFuture<String>> items = new ArrayList<>();
            for (int busy = 1; busy <= 2; busy++) {
                items.add(queue.submit("begun"));
                await().atMost(PATIENCE).until(readGroups::size, size -> size == items.size());
            }
            for (int i = 0; i < 4; i++) {
                items.add(queue.submit("item " + i));
            }
            release.complete(true);
            items.forEach(item -> assertThat(item).succeedsWithin(PATIENCE));
        }
        assertThat(readGroups).contains(List.of("item 0", "item 1", "item 2"));
    }

    /// One commit may serve other items of its group.
    @Test
    void exceptionAsResultFailsItsItemAlone() {
        WorkQueue.Limits limits = WorkQueue.Limits.ofSharedWork(PATIENCE, Unavailability.OUTCOME_UNKNOWN);
        try (WorkQueue<Object, Object> queue = new WorkQueue<>("test", limits, List.of(group -> group))) {
            CompletableFuture<Object> failed = queue.submit(new IllegalStateException("refused"));
            assertThat(queue.submit("done")).succeedsWithin(PATIENCE).isEqualTo("done");
            assertThat(failed).failsWithin(PATIENCE).withThrowableThat().havingCause().withMessage("refused");
        }
    }

    @Test
    void refusesItemsBeyondCapacityAtOnce() {
        WorkQueue.Limits limits = new WorkQueue.Limits(2, 1, PATIENCE, PATIENCE, Unavailability.OUTCOME_UNKNOWN, true);
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndAwaitStart(queue);
            List<CompletableFuture<String>> accepted = List.of(queue.submit("1"), queue.submit("2"));
            assertThat(queue.waiting()).isEqualTo(2);
            assertThat(queue.submit("3")).isCompletedExceptionally();
            assertFails(queue.submit("3"), OVERLOADED, Unavailability.QUEUE_FULL);
            finish.complete(true);
            assertThat(first).succeedsWithin(PATIENCE);
            accepted.forEach(item -> assertThat(item).succeedsWithin(PATIENCE));
        }
    }

    @Test
    void refusesItemsThatWouldWaitTooLongAtOnce() {
        WorkQueue.Limits limits = new WorkQueue.Limits(10, 1, Duration.ofNanos(1), PATIENCE,
                Unavailability.OUTCOME_UNKNOWN, true);
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndAwaitStart(queue);
            CompletableFuture<String> second = queue.submit("no duration is known yet");
            CompletableFuture<String> third = queue.submit("as long as");
            finish.complete(true);
            List.of(first, second, third).forEach(item -> assertThat(item).succeedsWithin(PATIENCE));
            await().atMost(PATIENCE).until(() -> {
                List<CompletableFuture<String>> burst = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    burst.add(queue.submit("burst"));
                }
                return burst.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
            });
        }
    }

    @Test
    void failsEveryItemOfGroupWithExceptionOfWork() {
        try (WorkQueue<String, String> queue = queue(
                WorkQueue.Limits.ofSharedWork(PATIENCE, Unavailability.OUTCOME_UNKNOWN), group -> {
                    groups.add(group);
                    started.complete(true);
                    finish.join();
                    throw new Failure(Failure.Unavailability.DISK_FULL, "the disk is full");
                })) {
            CompletableFuture<String> first = submitAndAwaitStart(queue);
            List<CompletableFuture<String>> others = List.of(queue.submit("1"), queue.submit("2"));
            finish.complete(true);
            assertFails(first, "the disk is full", Unavailability.DISK_FULL);
            others.forEach(item -> assertFails(item, "the disk is full", Unavailability.DISK_FULL));
        }
        assertThat(groups).containsExactly(List.of("begun"), List.of("1", "2"));
    }

    @Test
    void closeDrainsWritesAndRefusesReads() {
        assertThat(itemThatWaitsAtClose(WorkQueue.Limits.ofSharedWork(PATIENCE, Unavailability.OUTCOME_UNKNOWN)))
                .succeedsWithin(PATIENCE)
                .isEqualTo("waiting");
        assertFails(itemThatWaitsAtClose(WorkQueue.Limits.ofReads(1, PATIENCE)), "the service is stopping",
                Unavailability.STOPPING);
    }

    /// Returns an item that waits while its queue is closed.
    private CompletableFuture<String> itemThatWaitsAtClose(WorkQueue.Limits limits) {
        WorkQueueTest test = new WorkQueueTest();
        WorkQueue<String, String> queue = test.queue(limits);
        CompletableFuture<String> first = test.submitAndAwaitStart(queue);
        CompletableFuture<String> second = queue.submit("waiting");
        Thread closing = Thread.ofPlatform().start(queue::close);
        await("close waits for the thread").atMost(PATIENCE)
                .until(() -> closing.getState() == Thread.State.WAITING);
        assertFails(queue.submit("late"), "the service is stopping", Unavailability.STOPPING);
        test.finish.complete(true);
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo("begun");
        return second;
    }

    private static void assertFails(CompletableFuture<String> item, String message, Unavailability code) {
        assertThat(item).failsWithin(PATIENCE.dividedBy(2)).withThrowableThat().havingCause()
                .isInstanceOfSatisfying(Failure.class,
                        failure -> assertThat(failure.unavailability()).contains(code))
                .withMessage(message);
    }
}
