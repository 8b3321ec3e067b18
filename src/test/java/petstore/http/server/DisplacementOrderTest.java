package petstore.http.server;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings.Deadlines;

import static org.assertj.core.api.Assertions.assertThat;

class DisplacementOrderTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long start = System.nanoTime();
    private final long later = start + 10 * SECOND;
    private final DisplacementOrder order = new DisplacementOrder();

    private final Connection a = connection();
    private final Connection b = connection();
    private final Connection c = connection();
    private final Connection d = connection();

    private static Connection connection() {
        Duration any = Duration.ofMinutes(1);
        return new Connection(new EmbeddedChannel(), new Deadlines(any, any, any),
                ConnectionLimit.of("api", 10, () -> false, Long.MAX_VALUE, new SimpleMeterRegistry()),
                new TrustedProxies(List.of(), "none"), new DisplacementOrder());
    }

    @Test
    void returnsIdleBeforeHeadlessAndOldestFirst() {
        order.add(a, false, start);
        order.add(b, false, start + 1);
        order.add(c, true, start + 2);
        order.add(d, true, start + 3);
        for (Connection expected : List.of(c, d, a, b)) {
            assertThat(order.first(later)).contains(expected);
            order.remove(expected);
        }
        assertThat(order.first(later)).isEmpty();
        assertThat(order.rank(later)).isEqualTo(DisplacementOrder.NONE);
    }

    @Test
    void sparesHeadlessForOneSecond() {
        order.add(a, false, start);
        assertThat(order.first(start + SECOND)).isEmpty();
        assertThat(order.rank(start + SECOND)).isEqualTo(DisplacementOrder.NONE);
        assertThat(order.first(start + SECOND + 1)).contains(a);
        assertThat(order.rank(start + SECOND + 1)).isLessThan(DisplacementOrder.NONE);
    }

    @Test
    void movesToEndOfOrder() {
        order.add(a, true, start);
        order.add(b, true, start + 1);
        order.add(a, true, start + 2);
        assertThat(order.first(later)).contains(b);
        order.add(b, false, start + 3);
        assertThat(order.first(later)).contains(a);
        order.add(a, false, start + 4);
        assertThat(order.first(later)).contains(b);
        order.add(a, true, start + 5);
        assertThat(order.first(later)).contains(a);
    }

    @Test
    void ranksEventLoopsByTheirFirst() {
        DisplacementOrder other = new DisplacementOrder();
        order.add(a, false, start);
        other.add(b, false, start + 1);
        assertThat(order.rank(later)).isLessThan(other.rank(later));
        other.add(c, true, start + 2);
        assertThat(other.rank(later)).isLessThan(order.rank(later));
        order.add(d, true, start + 3);
        assertThat(other.rank(later)).isLessThan(order.rank(later));
        other.remove(c);
        assertThat(order.rank(later)).isLessThan(other.rank(later));
        assertThat(other.first(later)).contains(b);
    }
}
