package petstore.store.postgres.watch;

import java.util.Optional;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/// The rules for servers of older timelines and of other clusters.
class ClusterTest {

    /// A failover may skip timelines, and a later one may fail before the service uses it.
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            one   | 9  | the server is on the older timeline 9; another server was on timeline 16
            one   | 15 | the server is on the older timeline 15; another server was on timeline 16
            one   | 16 | -
            one   | 17 | -
            other | 99 | the server is of another cluster (system identifier other, not one); restart this service to use it
            third | 16 | the server is of another cluster (system identifier third, not one); restart this service to use it""")
    void refusesOlderTimelinesAndOtherClusters(String system, long timeline, String reason) {
        Cluster cluster = Cluster.UNKNOWN;
        for (long seen : new long[]{2, 16, 10}) {
            cluster = cluster.with(new ServerState.Lineage("one", "1", seen));
        }
        cluster = cluster.with(new ServerState.Lineage("other", "1", 20));
        ServerState server = new ServerState(new ServerState.Lineage(system, "2", timeline), "1", false, false, "");
        assertThat(Refusal.of(server, cluster, true).map(Refusal::reason)).isEqualTo(Optional.ofNullable(reason));
        assertThat(Refusal.of(server, cluster, false).map(Refusal::reason)).isEqualTo(Optional.ofNullable(reason));
    }
}
