package petstore.http;

import java.util.List;

import org.junit.jupiter.api.Test;
import petstore.Failure;
import petstore.Failure.Unavailability;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.testkit.LogLines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class UnavailabilityLogTest {

    private static final RequestHead HEAD = new RequestHead("GET", "/v1/pets", "", new HeaderFields(_ -> true), "-",
            "of-the-test", 0);
    private final Failure statement = new Failure(Unavailability.STATEMENT_FAILED, "the store is unavailable",
            new IllegalStateException("said", new IllegalArgumentException("inside")));

    private final UnavailabilityLog unavailability = new UnavailabilityLog();

    @Test
    void logsOneLineASecondAndCountsOthers() {
        try (LogLines log = new LogLines("petstore.http")) {
            for (int i = 0; i < 1_000; i++) {
                unavailability.log(HEAD, statement);
            }
            List<String> lines = log.with("request of-the-test got 503 (statement_failed): the store is unavailable:"
                    + " said: inside");
            assertThat(lines).hasSizeBetween(1, 3);
            assertThat(lines.getFirst()).endsWith("inside");
            await().until(() -> {
                unavailability.log(HEAD, statement);
                return log.with("more since the last such line").size() >= lines.size();
            });
        }
    }

    /// A full queue has no cause to find out, and overload must not fill the log.
    @Test
    void logsOnlyErrors() {
        try (LogLines log = new LogLines("petstore.http")) {
            unavailability.log(HEAD, new Failure(Unavailability.QUEUE_FULL, "too many requests are waiting"));
            unavailability.log(HEAD, new Failure(Failure.Kind.GONE, "removed", new IllegalStateException("said")));
            assertThat(log.with("503")).isEmpty();
        }
    }
}
