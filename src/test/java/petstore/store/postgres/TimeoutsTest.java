package petstore.store.postgres;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import petstore.store.TimeBudget;
import petstore.store.postgres.PostgresConnector.Timeouts;

import static org.assertj.core.api.Assertions.assertThat;

class TimeoutsTest {

    @Test
    void ofRequestAscendAndFitIntoTimeBudget() {
        Timeouts request = Timeouts.REQUEST;
        assertThat(List.of(Duration.ZERO, request.lock(), request.statement(), request.response())).isSorted()
                .doesNotHaveDuplicates();
        assertThat(TimeBudget.POSTGRES.connection().plus(request.response()))
                .isLessThanOrEqualTo(TimeBudget.POSTGRES.whole());
    }
}
