package petstore.store.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Groups, limits and the end of a queue with one thread.
class WorkQueueTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final String OVERLOADED = "too many requests are waiting; try again later";

    private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final List<List<String>> groups = new CopyOnWriteArrayList<>();

    /// Returns a queue whose thread waits for `end` in every group.
    private WorkQueue<String, String> queue(WorkQueue.Limits limits) {
        return queue(limits, group -> {
            groups.add(group);
            begun.complete(true);
            end.join();
            return group;
        });
    }

    private static WorkQueue<String, String> queue(WorkQueue.Limits limits,
            Function<List<String>, List<String>> work) {
        return new WorkQueue<>("test", limits, List.of(work));
    }

    private CompletableFuture<String> submitAndBegin(WorkQueue<String, String> queue) {
        CompletableFuture<String> first = queue.submit("begun");
        begun.join();
        return first;
    }

    @Test
    void lateItemsFailAndTheMessageTellsThatBegunWorkMayBeDone() {
        try (WorkQueue<String, String> queue = queue(WorkQueue.Limits.ofWrites(SHORT))) {
            CompletableFuture<String> first = submitAndBegin(queue);
            CompletableFuture<String> second = queue.submit("waiting");
            try {
                assertFails(first, "the store takes too long; the outcome of this request is unknown");
                assertFails(second, OVERLOADED);
            } finally {
                end.complete(true);
            }
        }
    }

    @Test
    void itemsThatWaitAreOneGroupUpToTheLargest() {
        WorkQueue.Limits limits = new WorkQueue.Limits(10, 3, PATIENCE, PATIENCE, true);
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndBegin(queue);
            List<CompletableFuture<String>> others = IntStream.range(0, 5).mapToObj(i -> queue.submit("item " + i))
                    .toList();
            end.complete(true);
            assertThat(first).succeedsWithin(PATIENCE).isEqualTo("begun");
            for (int i = 0; i < others.size(); i++) {
                assertThat(others.get(i)).succeedsWithin(PATIENCE).isEqualTo("item " + i);
            }
        }
        assertThat(groups).containsExactly(List.of("begun"), List.of("item 0", "item 1", "item 2"),
                List.of("item 3", "item 4"));
    }

    @Test
    void threadsShareReadsThatWait() {
        List<List<String>> shared = new CopyOnWriteArrayList<>();
        CompletableFuture<Boolean> release = new CompletableFuture<>();
        Function<List<String>, List<String>> work = group -> {
            shared.add(group);
            release.join();
            return group;
        };
        try (WorkQueue<String, String> queue = new WorkQueue<>("test", WorkQueue.Limits.ofReads(3, PATIENCE),
                List.of(work, work))) {
            List<CompletableFuture<String>> items = new ArrayList<>();
            for (int begun = 1; begun <= 2; begun++) {
                items.add(queue.submit("begun"));
                await().atMost(PATIENCE).until(shared::size, size -> size == items.size());
            }
            for (int i = 0; i < 4; i++) {
                items.add(queue.submit("item " + i));
            }
            release.complete(true);
            items.forEach(item -> assertThat(item).succeedsWithin(PATIENCE));
        }
        assertThat(shared).contains(List.of("item 0", "item 1", "item 2"));
    }

    @Test
    void itemsBeyondTheCapacityAreRefusedAtOnce() {
        WorkQueue.Limits limits = new WorkQueue.Limits(2, 1, PATIENCE, PATIENCE, true);
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndBegin(queue);
            List<CompletableFuture<String>> accepted = List.of(queue.submit("1"), queue.submit("2"));
            assertThat(queue.waiting()).isEqualTo(2);
            assertThat(queue.submit("3")).isCompletedExceptionally();
            assertFails(queue.submit("3"), OVERLOADED);
            end.complete(true);
            assertThat(first).succeedsWithin(PATIENCE);
            accepted.forEach(item -> assertThat(item).succeedsWithin(PATIENCE));
        }
    }

    @Test
    void itemsThatWouldWaitTooLongAreRefusedAtOnce() {
        WorkQueue.Limits limits = new WorkQueue.Limits(10, 1, Duration.ofNanos(1), PATIENCE, true);
        try (WorkQueue<String, String> queue = queue(limits)) {
            CompletableFuture<String> first = submitAndBegin(queue);
            CompletableFuture<String> second = queue.submit("no duration is known yet");
            CompletableFuture<String> third = queue.submit("as long as");
            end.complete(true);
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
    void everyItemOfAGroupFailsWithTheExceptionOfTheWork() {
        try (WorkQueue<String, String> queue = queue(WorkQueue.Limits.ofWrites(PATIENCE), _ -> {
            throw Failure.unavailable("the disk is full");
        })) {
            assertFails(queue.submit("first"), "the disk is full");
            assertFails(queue.submit("second"), "the disk is full");
        }
    }

    @Test
    void closingDrainsWritesAndRefusesReads() {
        assertThat(closedWhileWaiting(WorkQueue.Limits.ofWrites(PATIENCE))).succeedsWithin(PATIENCE)
                .isEqualTo("waiting");
        assertFails(closedWhileWaiting(WorkQueue.Limits.ofReads(1, PATIENCE)), "the service is stopping");
    }

    private CompletableFuture<String> closedWhileWaiting(WorkQueue.Limits limits) {
        WorkQueueTest each = new WorkQueueTest();
        WorkQueue<String, String> queue = each.queue(limits);
        CompletableFuture<String> first = each.submitAndBegin(queue);
        CompletableFuture<String> second = queue.submit("waiting");
        Thread closing = Thread.ofPlatform().start(queue::close);
        await("close waits for the thread").atMost(PATIENCE)
                .until(() -> closing.getState() == Thread.State.WAITING);
        assertFails(queue.submit("late"), "the service is stopping");
        each.end.complete(true);
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo("begun");
        return second;
    }

    private static void assertFails(CompletableFuture<String> sent, String message) {
        assertThat(sent).failsWithin(PATIENCE.dividedBy(2)).withThrowableThat().havingCause()
                .isInstanceOfSatisfying(Failure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.UNAVAILABLE))
                .withMessage(message);
    }
}
