package petstore.http.server;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import petstore.http.server.ConnectionLimit.DisplacementOrder;

import static org.assertj.core.api.Assertions.assertThat;

class DisplacementOrderTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long start = System.nanoTime();
    private final long later = start + 10 * SECOND;
    private final DisplacementOrder<String> order = new DisplacementOrder<>();

    @Test
    void returnsIdleBeforeHeadlessAndOldestFirst() {
        order.becameHeadless("headless a", start);
        order.becameHeadless("headless b", start + 1);
        order.becameIdle("idle a", start + 2);
        order.becameIdle("idle b", start + 3);
        for (String expected : new String[]{"idle a", "idle b", "headless a", "headless b"}) {
            assertThat(order.first(later)).contains(expected);
            order.remove(expected);
        }
        assertThat(order.first(later)).isEmpty();
        assertThat(order.rank(later)).isEqualTo(DisplacementOrder.NONE);
    }

    @Test
    void sparesHeadlessForOneSecond() {
        order.becameHeadless("a", start);
        assertThat(order.first(start + SECOND)).isEmpty();
        assertThat(order.rank(start + SECOND)).isEqualTo(DisplacementOrder.NONE);
        assertThat(order.first(start + SECOND + 1)).contains("a");
        assertThat(order.rank(start + SECOND + 1)).isLessThan(DisplacementOrder.NONE);
    }

    @Test
    void movesToEndOfOrder() {
        order.becameIdle("a", start);
        order.becameIdle("b", start + 1);
        order.becameIdle("a", start + 2);
        assertThat(order.first(later)).contains("b");
        order.becameHeadless("b", start + 3);
        assertThat(order.first(later)).contains("a");
        order.becameHeadless("a", start + 4);
        assertThat(order.first(later)).contains("b");
        order.becameIdle("a", start + 5);
        assertThat(order.first(later)).contains("a");
    }

    @Test
    void ranksEventLoopsByTheirFirst() {
        DisplacementOrder<String> other = new DisplacementOrder<>();
        order.becameHeadless("a", start);
        other.becameHeadless("b", start + 1);
        assertThat(order.rank(later)).isLessThan(other.rank(later));
        other.becameIdle("c", start + 2);
        assertThat(other.rank(later)).isLessThan(order.rank(later));
        order.becameIdle("d", start + 3);
        assertThat(other.rank(later)).isLessThan(order.rank(later));
        other.remove("c");
        assertThat(order.rank(later)).isLessThan(other.rank(later));
        assertThat(other.first(later)).isEqualTo(Optional.of("b"));
    }
}
