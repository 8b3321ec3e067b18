package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Conditional GET while other clients write. The service must never return 304 for a changed page.
@Tag("both-stores")
class RevalidationTest {

    private static final int ROUNDS = 5;
    private static final int WRITERS = 3;
    private static final int ANIMALS_PER_WRITER = 33;
    private static final int READERS = 3;

    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger notModified = new AtomicInteger();

    @Test
    void returns304OnlyIfPageHasAllAcknowledgedAnimals(@TempDir Path folder)
            throws InterruptedException, ExecutionException {
        try (TestService service = TestService.start(folder);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < ROUNDS; round++) {
                acknowledged.set(0);
                String page = "/v1/pets?limit=100&after=" + round * WRITERS * ANIMALS_PER_WRITER;
                List<Future<Integer>> work = new ArrayList<>();
                for (int i = 0; i < READERS; i++) {
                    work.add(threads.submit(() -> poll(service.client(), page)));
                }
                for (int i = 0; i < WRITERS; i++) {
                    work.add(threads.submit(() -> write(service.client())));
                }
                for (Future<Integer> result : work) {
                    assertThat(result.get()).isPositive();
                }
            }
        }
        assertThat(notModified).hasPositiveValue();
    }

    private int write(ApiClient client) {
        for (int i = 0; i < ANIMALS_PER_WRITER; i++) {
            assertThat(client.post("{\"name\":\"Rex\",\"categoryId\":1}").statusCode()).isEqualTo(201);
            acknowledged.incrementAndGet();
        }
        return ANIMALS_PER_WRITER;
    }

    /// Polls until all animals are acknowledged, and once more.
    private int poll(ApiClient client, String page) {
        String tag = "\"none\"";
        String body = "[]";
        int polls = 0;
        boolean last;
        do {
            int acknowledgedBefore = acknowledged.get();
            last = acknowledgedBefore == WRITERS * ANIMALS_PER_WRITER;
            HttpResponse<String> response = client.get(page, "If-None-Match", tag);
            String newTag = response.headers().firstValue("ETag").orElseThrow();
            if (response.statusCode() == 304) {
                assertThat(newTag).isEqualTo(tag);
                notModified.incrementAndGet();
            } else {
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(newTag).isNotEqualTo(tag);
                tag = newTag;
                body = response.body();
            }
            assertThat(ServedContract.json(body).size()).isGreaterThanOrEqualTo(acknowledgedBefore);
            polls++;
        } while (!last);
        return polls;
    }
}
