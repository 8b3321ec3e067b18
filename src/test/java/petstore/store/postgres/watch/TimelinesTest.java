package petstore.store.postgres.watch;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/// The rule for servers of older timelines.
class TimelinesTest {

    /// A failover may skip timelines, and a later one may fail before the service uses it.
    @ParameterizedTest
    @CsvSource({"one, 9, 16", "one, 10, 16", "one, 15, 16", "one, 16, 0", "one, 17, 0", "other, 4, 5", "other, 5, 0",
            "unknown, 1, 0"})
    void refusesTimelinesBeforeLatest(String system, long timeline, long later) {
        Timelines timelines = new Timelines(Map.of());
        for (long seen : new long[]{2, 16, 10}) {
            timelines = timelines.with(new ServerState.Lineage("one", "1", seen));
        }
        timelines = timelines.with(new ServerState.Lineage("other", "1", 5));
        assertThat(timelines.laterThan(new ServerState.Lineage(system, "2", timeline)).orElse(0L)).isEqualTo(later);
    }
}
